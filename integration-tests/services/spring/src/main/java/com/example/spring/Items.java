/* SPDX-License-Identifier: Apache-2.0 */
package com.example.spring;

import org.springframework.data.jpa.repository.JpaRepository;

/** The items. */
public interface Items extends JpaRepository<Item, Integer> {}
