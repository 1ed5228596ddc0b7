/* SPDX-License-Identifier: Apache-2.0 */
package com.example.spring;

import java.sql.SQLException;
import org.redisson.api.RLock;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** One endpoint a way of locking. Answers are the new value; 500 with {@code SQLSTATE message} where the database said no. */
@RestController
public class StockController {
    private final Stock stock;
    private final Orders orders;

    StockController(Stock stock, Orders orders) {
        this.stock = stock;
        this.orders = orders;
    }

    @GetMapping("/items/{id}")
    public long value(@PathVariable int id) {
        return stock.value(id);
    }

    @PostMapping("/items/{id}/increment")
    public long increment(@PathVariable int id, @RequestParam(defaultValue = "0") long work) {
        RLock lock = stock.lock(id);
        lock.lock();
        try {
            return stock.increment(id, work);
        } finally {
            lock.unlock();
        }
    }

    @PostMapping("/items/{id}/unlock-before-commit")
    public long unlockBeforeCommit(@PathVariable int id, @RequestParam(defaultValue = "0") long work) {
        return stock.unlockBeforeCommit(id, work);
    }

    @PostMapping("/items/{id}/requires-new/{inner}")
    public long requiresNew(@PathVariable int id, @PathVariable int inner) {
        RLock lock = stock.lock(id);
        lock.lock();
        try {
            return orders.incrementBoth(id, inner);
        } finally {
            lock.unlock();
        }
    }

    @PostMapping("/items/{id}/relock-in-new/{other}")
    public long relockInNew(@PathVariable int id, @PathVariable int other) {
        return orders.relockInNew(id, other);
    }

    @PostMapping("/items/{id}/marker")
    public boolean marker(@PathVariable int id, @RequestParam long lease) throws InterruptedException {
        return stock.marker(id, lease);
    }

    /** Under no lock of its own. */
    @PostMapping("/handled/{id}")
    public long write(@PathVariable int id, @RequestParam(defaultValue = "0") long work) {
        return stock.increment(id, work);
    }

    @ExceptionHandler
    ResponseEntity<String> failed(Exception e) {
        return ResponseEntity.internalServerError().body(sqlState(e) + " " + e);
    }

    private static String sqlState(Throwable e) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return "-";
    }
}
