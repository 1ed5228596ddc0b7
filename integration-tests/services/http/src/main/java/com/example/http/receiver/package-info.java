/** The receiver: keeps values by item in a database, and knows nothing of its callers' locks. */
package com.example.http.receiver;
