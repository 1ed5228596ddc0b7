/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http.client;

import com.example.http.Client;
import com.example.http.Reply;
import java.io.IOException;
import java.time.Duration;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okhttp3.ResponseBody;
import retrofit2.Response;
import retrofit2.Retrofit;
import retrofit2.http.Body;
import retrofit2.http.DELETE;
import retrofit2.http.GET;
import retrofit2.http.POST;
import retrofit2.http.PUT;
import retrofit2.http.Url;

/** Retrofit, over OkHttp. */
public final class RetrofitCalls implements Client {
    private static final MediaType TEXT = MediaType.parse("text/plain;charset=utf-8");

    private final OkHttpClient client =
            new OkHttpClient.Builder().readTimeout(Duration.ofMinutes(1)).build();
    private final Service service = new Retrofit.Builder()
            .baseUrl("http://127.0.0.1/")
            .client(client)
            .build()
            .create(Service.class);

    /** What Retrofit implements. */
    public interface Service {
        @GET
        retrofit2.Call<ResponseBody> get(@Url String url);

        @PUT
        retrofit2.Call<ResponseBody> put(@Url String url, @Body RequestBody body);

        @POST
        retrofit2.Call<ResponseBody> post(@Url String url, @Body RequestBody body);

        @DELETE
        retrofit2.Call<ResponseBody> delete(@Url String url);
    }

    @Override
    public Reply send(String method, String url, String body) throws Exception {
        return build(method, url, body).send();
    }

    @Override
    @SuppressWarnings("deprecation") // In this order of parameters the method is there in 3.x as well.
    public Call build(String method, String url, String body) {
        RequestBody content = body == null ? null : RequestBody.create(TEXT, body);
        retrofit2.Call<ResponseBody> call = switch (method) {
            case "GET" -> service.get(url);
            case "PUT" -> service.put(url, content);
            case "POST" -> service.post(url, content);
            case "DELETE" -> service.delete(url);
            default -> throw new IllegalArgumentException(method);
        };
        return () -> reply(call.clone().execute());
    }

    private static Reply reply(Response<ResponseBody> response) throws IOException {
        ResponseBody body = response.isSuccessful() ? response.body() : response.errorBody();
        return new Reply(response.code(), response.headers().toMultimap(), body == null ? "" : body.string());
    }

    @Override
    public void close() {
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }
}
