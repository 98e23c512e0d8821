/* Names for what is sent. crypto.randomUUID is not there where a page comes without TLS. */

export const uuid = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
