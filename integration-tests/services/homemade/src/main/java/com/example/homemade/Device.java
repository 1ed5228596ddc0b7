/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

/** Something that does as it is told, whoever tells it, and when: it knows no numbers and compares nothing. */
public interface Device {
    void send(String order);
}
