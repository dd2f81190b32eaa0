// Loaded before a server that would listen on every address: on this machine's own only.
const { Server } = require("node:net");

const listen = Server.prototype.listen;
Server.prototype.listen = function (port, ...rest) {
  const names_host = typeof port === "object" || typeof rest[0] === "string";
  return names_host ? listen.call(this, port, ...rest) : listen.call(this, port, "127.0.0.1", ...rest);
};
