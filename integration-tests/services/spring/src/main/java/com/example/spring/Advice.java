/* SPDX-License-Identifier: Apache-2.0 */
package com.example.spring;

import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What {@link AdvisedController} answers where something goes wrong. */
@RestControllerAdvice(assignableTypes = AdvisedController.class)
public class Advice {
    @ExceptionHandler
    ResponseEntity<Map<String, String>> failed(Exception e) {
        return ResponseEntity.internalServerError().body(Map.of("failed", String.valueOf(e.getMessage())));
    }
}
