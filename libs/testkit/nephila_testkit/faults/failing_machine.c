/* Stands before libc (LD_PRELOAD): the time of day is shifted, and files below one folder cannot be
 * written, cannot be made durable, or only slowly. What is wrong is read at each call from a shared
 * page that the test writes; see failing_machine.py for its layout. The monotonic clocks are true.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct faults {
  int64_t wall_offset_s;
  int64_t sync_delay_us;
  int64_t sync_errno;
  int64_t write_errno;
  int64_t allowance; /* Calls still to refuse. */
  int64_t refusals; /* Calls refused so far: written here, read by the test. */
};

static struct faults none;
static volatile struct faults *now_wrong = &none;
static const char *folder = "";

__attribute__((constructor)) static void begin(void) {
  const char *page = getenv("FAILING_MACHINE_PAGE");
  const char *below = getenv("FAILING_MACHINE_FOLDER");
  int fd = page ? open(page, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *shared = mmap(NULL, sizeof(none), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (shared == MAP_FAILED) return;
  now_wrong = shared;
  folder = below ? below : "";
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int below(const char *path) {
  size_t length = strlen(folder);
  return length && !strncmp(path, folder, length);
}

static int of_the_folder(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof(path) - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return below(path);
}

static int refused(int64_t fault, int fd) {
  if (!fault || !of_the_folder(fd)) return 0;
  if (__atomic_fetch_sub(&now_wrong->allowance, 1, __ATOMIC_RELAXED) <= 0) return 0;
  __atomic_add_fetch(&now_wrong->refusals, 1, __ATOMIC_RELAXED);
  errno = (int)fault;
  return 1;
}

int clock_gettime(clockid_t clock, struct timespec *told) {
  REAL(clock_gettime);
  int result = real(clock, told);
  if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    told->tv_sec += now_wrong->wall_offset_s;
  return result;
}

int gettimeofday(struct timeval *restrict told, void *restrict zone) {
  REAL(gettimeofday);
  int result = real(told, zone);
  if (!result) told->tv_sec += now_wrong->wall_offset_s;
  return result;
}

time_t time(time_t *told) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (told) *told = now.tv_sec;
  return now.tv_sec;
}

static void dawdle(int fd) {
  int64_t delay = now_wrong->sync_delay_us;
  if (delay && of_the_folder(fd)) usleep((useconds_t)delay);
}

int fsync(int fd) {
  REAL(fsync);
  dawdle(fd);
  return refused(now_wrong->sync_errno, fd) ? -1 : real(fd);
}

int fdatasync(int fd) {
  REAL(fdatasync);
  dawdle(fd);
  return refused(now_wrong->sync_errno, fd) ? -1 : real(fd);
}

ssize_t write(int fd, const void *data, size_t size) {
  REAL(write);
  return refused(now_wrong->write_errno, fd) ? -1 : real(fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  REAL(pwrite);
  return refused(now_wrong->write_errno, fd) ? -1 : real(fd, data, size, at);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  REAL(pwrite64);
  return refused(now_wrong->write_errno, fd) ? -1 : real(fd, data, size, at);
}

int ftruncate(int fd, off_t size) {
  REAL(ftruncate);
  return refused(now_wrong->write_errno, fd) ? -1 : real(fd, size);
}

int ftruncate64(int fd, off64_t size) {
  REAL(ftruncate64);
  return refused(now_wrong->write_errno, fd) ? -1 : real(fd, size);
}

/* Only a read-only disk refuses to open what would be written. */
static int refused_at_open(const char *path, int flags) {
  if (now_wrong->write_errno != EROFS || !(flags & (O_WRONLY | O_RDWR)) || !below(path)) return 0;
  __atomic_add_fetch(&now_wrong->refusals, 1, __ATOMIC_RELAXED);
  errno = EROFS;
  return 1;
}

#define OPENING(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    return refused_at_open(path, flags) ? -1 : real(path, flags, mode); \
  }

OPENING(open)
OPENING(open64)
