/* The least that a warm call can be: a client that makes one round trip over a unix
 * socket to a daemon which sends back what it gets. `floor daemon SOCKET` listens until
 * it is ended; `floor SOCKET` asks, and prints the answer. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char question[] = "{\"name\":\"echo\",\"arguments\":{\"message\":\"hi\"}}\n";

static int serve(const struct sockaddr_un *address) {
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (const struct sockaddr *)address, sizeof *address) != 0 || listen(listener, 128) != 0) {
        perror("floor");
        return 1;
    }
    for (;;) {
        int client = accept(listener, NULL, NULL);
        char bytes[4096];
        ssize_t length;
        if (client < 0) continue;
        length = read(client, bytes, sizeof bytes);
        if (length > 0 && write(client, bytes, length) != length) perror("floor");
        close(client);
    }
}

static int ask(const struct sockaddr_un *address) {
    char bytes[4096];
    int daemon = socket(AF_UNIX, SOCK_STREAM, 0);
    ssize_t length;
    if (connect(daemon, (const struct sockaddr *)address, sizeof *address) != 0) return 1;
    if (write(daemon, question, sizeof question - 1) != (ssize_t)sizeof question - 1) return 1;
    length = read(daemon, bytes, sizeof bytes);
    return length <= 0 || write(1, bytes, length) != length;
}

int main(int count, char **words) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count < 2 || strlen(words[count - 1]) >= sizeof address.sun_path) return 2;
    strcpy(address.sun_path, words[count - 1]);
    return count == 3 ? serve(&address) : ask(&address);
}
