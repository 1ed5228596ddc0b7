/* SPDX-License-Identifier: Apache-2.0 */
package com.example.spring;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Writes under no lock of its own. {@link Advice} says what goes wrong. */
@RestController
public class AdvisedController {
    private final Stock stock;

    AdvisedController(Stock stock) {
        this.stock = stock;
    }

    @PostMapping("/advised/{id}")
    public long write(@PathVariable int id, @RequestParam(defaultValue = "0") long work) {
        return stock.increment(id, work);
    }
}
