/* SPDX-License-Identifier: Apache-2.0 */
package com.example.spring;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Writes under no lock of its own. What goes wrong is left to Boot's error page. */
@RestController
public class PlainController {
    private final Stock stock;

    PlainController(Stock stock) {
        this.stock = stock;
    }

    @PostMapping("/plain/{id}")
    public long write(@PathVariable int id, @RequestParam(defaultValue = "0") long work) {
        return stock.increment(id, work);
    }
}
