/* SPDX-License-Identifier: Apache-2.0 */
package com.example.spring;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of {@code stock}; Hibernate writes a changed one at the commit. */
@Entity
@Table(name = "stock")
public class Item {
    @Id
    private int id;

    @Column(name = "value")
    private long value;

    protected Item() {}

    long value() {
        return value;
    }

    void increment() {
        value++;
    }
}
