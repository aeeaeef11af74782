/* Attempts to get out of a sandbox, one a name. Each says `held` when it failed and
 * `escaped` when it did what it must not be able to do; the second word says how. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static const char *root, *work, *own;
static int port, bystander, leaked;
static char path[4096];

static const char *in(const char *folder, const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int held(const char *how) { printf("held %s %s\n", how, strerror(errno)); return 0; }
static int escaped(const char *how) { printf("escaped %s\n", how); return 0; }
/* A call that must fail. */
static int must_fail(const char *how, long result) { return result < 0 ? held(how) : escaped(how); }
/* A call that must be refused, rather than fail for another reason. */
static int must_be_refused(const char *how, long result) {
    if (result < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES)) return held(how);
    return escaped(how);
}

static int reads(const char *file) {
    char byte;
    int fd = open(file, O_RDONLY);
    if (fd < 0) return held("open");
    return read(fd, &byte, 1) == 1 ? escaped("read") : held("read");
}
static int writes(const char *file, const char *text) {
    int fd = open(file, O_WRONLY);
    if (fd < 0) return held("open");
    return write(fd, text, strlen(text)) < 0 ? held("write") : escaped("write");
}
static int makes(const char *file) {
    int fd = open(file, O_WRONLY | O_CREAT, 0644);
    return fd < 0 ? held("create") : escaped("create");
}

/* Files. */
static int read_ssh_key(void) { return reads(in(root, "home/.ssh/id_rsa")); }
static int read_credentials(void) { return reads(in(root, "home/.aws/credentials")); }
static int read_shadow(void) { return reads("/etc/shadow"); }
static int read_passwd_of_host(void) {
    char line[256];
    FILE *file = fopen("/etc/passwd", "r");
    if (!file) return held("open");
    while (fgets(line, sizeof line, file)) if (!strncmp(line, "daemon:", 7)) return escaped("read");
    return held("other content");
}
static int read_machine_id(void) { return reads("/etc/machine-id"); }
static int read_other_skill(void) { return reads(in(root, "skills/other/SKILL.md")); }
static int list_home(void) {
    DIR *folder = opendir(in(root, "home"));
    if (!folder) return held("opendir");
    return readdir(folder) ? escaped("readdir") : held("readdir");
}
static int symlink_to_secret(void) {
    char target[4096];
    snprintf(target, sizeof target, "%s/home/.ssh/id_rsa", root);
    if (symlink(target, in(work, "link")) < 0) return held("symlink");
    return reads(in(work, "link"));
}
static int hardlink_secret(void) {
    char target[4096];
    snprintf(target, sizeof target, "%s/home/.ssh/id_rsa", root);
    return must_fail("link", link(target, in(work, "hard")));
}
static int rename_secret_here(void) {
    char target[4096];
    snprintf(target, sizeof target, "%s/home/.ssh/id_rsa", root);
    return must_fail("rename", rename(target, in(work, "moved")));
}
static int truncate_secret(void) { return must_fail("truncate", truncate(in(root, "home/.ssh/id_rsa"), 0)); }
/* These may say that they succeeded; the test looks whether they did. */
static int chmod_outside(void) { chmod(in(root, "skills/other"), 0700); syscall(SYS_fchmodat, AT_FDCWD, in(root, "skills/other"), 0700); return held("chmod"); }
static int touch_outside(void) {
    struct timespec times[2] = {{1, 0}, {1, 0}};
    utimensat(AT_FDCWD, in(root, "skills/other"), times, 0);
    int fd = open(in(root, "skills/other"), O_PATH);
    utimensat(fd, "", times, AT_EMPTY_PATH);
    return held("utimensat");
}
static int chown_outside(void) { return must_fail("chown", chown(in(root, "skills/other"), getuid(), getgid())); }
static int attribute_outside(void) { return must_fail("setxattr", setxattr(in(root, "skills/other"), "user.pwned", "x", 1, 0)); }
/* Newer calls for the same, which headers do not name yet. */
static int late_attribute_outside(void) {
    struct { uint64_t value; uint32_t size, flags; } value = {(uintptr_t)"x", 1, 0};
    return must_fail("setxattrat", syscall(463, AT_FDCWD, in(root, "skills/other"), 0, "user.pwned", &value, sizeof value));
}
static int late_attribute_removed(void) { return must_fail("removexattrat", syscall(466, AT_FDCWD, in(root, "skills/other"), 0, "user.kept")); }
static int late_flags_outside(void) {
    uint64_t nodump[3] = {0x80, 0, 0};
    return must_fail("file_setattr", syscall(469, AT_FDCWD, in(root, "skills/other"), nodump, sizeof nodump, 0));
}
static int watch_home(void) { return must_fail("inotify_add_watch", inotify_add_watch(inotify_init(), in(root, "home"), IN_ALL_EVENTS)); }
static int through_proc_root(void) {
    char file[4200];
    snprintf(file, sizeof file, "/proc/1/root%s/home/.ssh/id_rsa", root);
    return reads(file);
}
static int through_proc_self_root(void) {
    char file[4200];
    snprintf(file, sizeof file, "/proc/self/root%s/home/.ssh/id_rsa", root);
    return reads(file);
}
static int through_proc_cwd(void) { return reads("/proc/self/cwd/../home/.ssh/id_rsa"); }
static int through_parent_folders(void) {
    if (chdir(work) < 0 || chdir("..") < 0) return held("chdir");
    return reads("home/.ssh/id_rsa");
}
static int through_leaked_folder(void) { return must_fail("openat", openat(leaked, "home/.ssh/id_rsa", O_RDONLY)); }
static int write_home(void) { return makes(in(root, "home/pwned")); }
static int write_outside(void) { return makes(in(root, "pwned")); }
static int make_folder_outside(void) { return must_fail("mkdir", mkdir(in(root, "home/pwned"), 0755)); }
static int remove_outside(void) { return must_fail("unlink", unlink(in(root, "home/.ssh/id_rsa"))); }
static int write_etc(void) { return makes("/etc/pwned"); }
static int write_programs(void) { return makes("/usr/bin/pwned"); }
static int write_root_folder(void) { return makes("/pwned"); }
static int write_dev(void) { return makes("/dev/pwned"); }
static int change_own_skill(void) { return writes(in(own, "SKILL.md"), "pwned"); }
static int add_to_own_skill(void) { return makes(in(own, "scripts/pwned")); }
static int remove_own_skill(void) { return must_fail("unlink", unlink(in(own, "SKILL.md"))); }
static int rename_own_skill(void) {
    char to[4096];
    snprintf(to, sizeof to, "%s/moved", work);
    return must_fail("rename", rename(in(own, "scripts"), to));
}
static int write_shared_memory_folder(void) {
    /* A private one may be written; the test looks whether the host's was. */
    int fd = open("/dev/shm/skillyard-pwned", O_WRONLY | O_CREAT, 0644);
    return fd < 0 ? held("create") : held("private");
}
static int write_host_tmp(void) {
    int fd = open("/tmp/skillyard-pwned", O_WRONLY | O_CREAT, 0644);
    return fd < 0 ? held("create") : held("private");
}
static int race_links(void) {
    char link_a[4096], link_b[4096], home[4096], inside[4096], file[4200];
    snprintf(link_a, sizeof link_a, "%s/race", work);
    snprintf(link_b, sizeof link_b, "%s/race.new", work);
    snprintf(home, sizeof home, "%s/home", root);
    snprintf(inside, sizeof inside, "%s/inside", work);
    snprintf(file, sizeof file, "%s/race/pwned", work);
    mkdir(inside, 0755);
    pid_t child = fork();
    if (child == 0) for (int round = 0;; round++) {
        unlink(link_b);
        symlink(round & 1 ? home : inside, link_b);
        rename(link_b, link_a);
    }
    for (int round = 0; round < 3000; round++) {
        int fd = open(file, O_WRONLY | O_CREAT, 0644);
        if (fd >= 0) close(fd);
    }
    kill(child, SIGKILL);
    return held("race");
}
static int race_renames(void) {
    char here[4096], there[4096], file[4200], away[4096];
    snprintf(here, sizeof here, "%s/swap", work);
    snprintf(away, sizeof away, "%s/swap.away", work);
    snprintf(there, sizeof there, "%s/swap.link", work);
    snprintf(file, sizeof file, "%s/swap/pwned", work);
    mkdir(here, 0755);
    symlink(in(root, "home"), there);
    pid_t child = fork();
    if (child == 0) for (;;) syscall(SYS_renameat2, AT_FDCWD, here, AT_FDCWD, there, 2);
    for (int round = 0; round < 3000; round++) {
        int fd = open(file, O_WRONLY | O_CREAT, 0644);
        if (fd >= 0) close(fd);
    }
    kill(child, SIGKILL);
    return held("race");
}
static int make_block_device(void) { return must_fail("mknod", mknod(in(work, "block"), S_IFBLK | 0666, makedev(8, 0))); }
static int make_char_device(void) { return must_fail("mknod", mknod(in(work, "char"), S_IFCHR | 0666, makedev(1, 1))); }
static int open_memory_device(void) { return must_fail("open", open("/dev/mem", O_RDONLY)); }
static int open_kvm(void) { return must_fail("open", open("/dev/kvm", O_RDWR)); }
static int open_fuse(void) { return must_fail("open", open("/dev/fuse", O_RDWR)); }
static int open_disk(void) {
    const char *disks[] = {"/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/loop0"};
    for (int at = 0; at < 4; at++) if (open(disks[at], O_RDONLY) >= 0) return escaped(disks[at]);
    return held("open");
}
static int open_terminal(void) { return must_fail("open", open("/dev/tty", O_RDWR)); }
static int chmod_setuid(void) { close(creat(in(work, "suid"), 0755)); return must_be_refused("chmod", chmod(in(work, "suid"), 04755)); }
static int fchmod_setgid(void) { return must_be_refused("fchmod", fchmod(creat(in(work, "sgid"), 0755), 02755)); }
static int create_setuid(void) { return must_be_refused("open", open(in(work, "suid2"), O_WRONLY | O_CREAT, 04755)); }
static int fchmodat2_setuid(void) { close(creat(in(work, "suid3"), 0755)); return must_be_refused("fchmodat2", syscall(452, AT_FDCWD, in(work, "suid3"), 04755, 0)); }
static int openat2_setuid(void) {
    uint64_t how[3] = {O_WRONLY | O_CREAT, 04755, 0};
    return must_be_refused("openat2", syscall(SYS_openat2, AT_FDCWD, in(work, "suid4"), how, sizeof how));
}
static int mount_tmpfs(void) { return must_be_refused("mount", mount("none", work, "tmpfs", 0, NULL)); }
static int bind_mount(void) { return must_be_refused("mount", mount(root, work, NULL, MS_BIND, NULL)); }
static int remount(void) { return must_be_refused("mount", mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL)); }
static int unmount(void) { return must_be_refused("umount2", umount2("/proc", MNT_DETACH)); }
static int pivot(void) { return must_be_refused("pivot_root", syscall(SYS_pivot_root, work, work)); }
static int open_tree_clone(void) { return must_be_refused("open_tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1)); }
static int open_file_system(void) { return must_be_refused("fsopen", syscall(SYS_fsopen, "tmpfs", 0)); }
static int move_a_mount(void) { return must_be_refused("move_mount", syscall(SYS_move_mount, AT_FDCWD, "/proc", AT_FDCWD, work, 0)); }
static int set_mount_attributes(void) { uint64_t attributes[4] = {0}; return must_be_refused("mount_setattr", syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, attributes, sizeof attributes)); }
static int change_root(void) { return must_be_refused("chroot", chroot(work)); }
static int open_by_handle(void) { char handle[128] = {8}; return must_be_refused("open_by_handle_at", syscall(SYS_open_by_handle_at, AT_FDCWD, handle, O_RDONLY)); }
static int write_core_pattern(void) { return must_fail("open", open("/proc/sys/kernel/core_pattern", O_WRONLY)); }
static int write_sysrq(void) { return must_fail("open", open("/proc/sysrq-trigger", O_WRONLY)); }
static int write_sysctl(void) { return must_fail("open", open("/proc/sys/kernel/hostname", O_WRONLY)); }
static int write_modprobe(void) { return must_fail("open", open("/proc/sys/kernel/modprobe", O_WRONLY)); }
static int write_sys(void) { return must_fail("open", open("/sys/kernel/uevent_helper", O_WRONLY)); }
static int make_cgroup(void) {
    const char *places[] = {"/sys/fs/cgroup/pwned", "/sys/fs/cgroup/memory/pwned", "/sys/fs/cgroup/unified/pwned"};
    for (int at = 0; at < 3; at++) if (mkdir(places[at], 0755) == 0) { rmdir(places[at]); return escaped(places[at]); }
    return held("mkdir");
}
static int overwrite_launcher(void) {
    char file[64];
    snprintf(file, sizeof file, "/proc/%d/exe", getppid());
    return must_fail("open", open(file, O_WRONLY));
}

/* Processes. */
static int see_host_process(void) {
    char file[64], text[4096] = "";
    snprintf(file, sizeof file, "/proc/%d/cmdline", bystander);
    int fd = open(file, O_RDONLY);
    if (fd < 0) return held("open");
    ssize_t length = read(fd, text, sizeof text - 1);
    if (length < 1) return held("read");
    for (ssize_t at = 0; at < length; at++) if (!text[at]) text[at] = ' ';
    return strstr(text, "bystander") ? escaped(text) : held("another process");
}
static int read_host_environment(void) {
    char file[64];
    static char text[1 << 17];
    int processes[] = {bystander, getppid(), 1};
    for (int at = 0; at < 3; at++) {
        snprintf(file, sizeof file, "/proc/%d/environ", processes[at]);
        int fd = open(file, O_RDONLY);
        ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
        if (length > 0 && memmem(text, length, "SECRET", 6)) return escaped(file);
    }
    return held("environ");
}
static int kill_host(void) { return must_fail("kill", kill(bystander, SIGKILL)); }
/* The kernel calls this a success whoever got the signal; the test asks the bystander, which
 * was halted and must still be. */
static int signal_everybody(void) { kill(-1, SIGCONT); kill(bystander, SIGCONT); return held("kill"); }
static int kill_parent(void) { return must_fail("kill", kill(getppid(), SIGKILL)); }
static int stop_parent(void) { return must_fail("kill", kill(getppid(), SIGSTOP)); }
static int trace_parent(void) { return must_be_refused("ptrace", ptrace(PTRACE_ATTACH, getppid(), 0, 0)); }
static int trace_host(void) { return must_be_refused("ptrace", ptrace(PTRACE_SEIZE, bystander, 0, 0)); }
static int trace_me(void) { return must_be_refused("ptrace", ptrace(PTRACE_TRACEME, 0, 0, 0)); }
static int read_memory_of_parent(void) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)&root, 1};
    return must_be_refused("process_vm_readv", process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}
static int write_memory_of_parent(void) {
    char byte = 0;
    struct iovec here = {&byte, 1}, there = {(void *)&root, 1};
    return must_be_refused("process_vm_writev", process_vm_writev(getppid(), &here, 1, &there, 1, 0));
}
static int open_memory_of_parent(void) {
    char file[64];
    snprintf(file, sizeof file, "/proc/%d/mem", getppid());
    return must_fail("open", open(file, O_RDONLY));
}
static int list_descriptors_of_parent(void) {
    char file[64];
    snprintf(file, sizeof file, "/proc/%d/fd", getppid());
    return opendir(file) ? escaped("opendir") : held("opendir");
}
static int take_descriptor(void) {
    int process = syscall(SYS_pidfd_open, getppid(), 0);
    return must_be_refused("pidfd_getfd", syscall(SYS_pidfd_getfd, process, 0, 0));
}
static int compare_processes(void) { return must_be_refused("kcmp", syscall(SYS_kcmp, getpid(), getppid(), 0, 0, 0)); }
static int inherited_descriptors(void) {
    char text[32];
    for (int fd = 3; fd < 1024; fd++) if (fcntl(fd, F_GETFD) >= 0) { snprintf(text, sizeof text, "descriptor %d", fd); return escaped(text); }
    return held("fcntl");
}
static int secrets_in_environment(void) {
    extern char **environ;
    const char *known[] = {"PATH=", "LANG=", "HOME=", "TMPDIR=", "GREETING=", "PWD=", "SHLVL=", "_="};
    for (char **each = environ; *each; each++) {
        int fine = 0;
        for (int at = 0; at < 8; at++) fine |= !strncmp(*each, known[at], strlen(known[at]));
        if (!fine) return escaped(*each);
    }
    return held("environ");
}
static int unshare_user(void) { return must_be_refused("unshare", unshare(CLONE_NEWUSER)); }
static int unshare_mounts(void) { return must_be_refused("unshare", unshare(CLONE_NEWNS)); }
static int clone_user(void) {
    long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    return must_be_refused("clone", child);
}
static int clone3_user(void) {
    struct clone_args arguments = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
    long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) _exit(0);
    return must_be_refused("clone3", child);
}
static int enter_namespace(void) { return must_be_refused("setns", setns(open("/proc/self/ns/mnt", O_RDONLY), 0)); }
static int capabilities(void) {
    char line[256];
    unsigned long long effective = 1, bounds_permitted = 1;
    int no_new = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) {
        sscanf(line, "CapEff: %llx", &effective);
        sscanf(line, "CapPrm: %llx", &bounds_permitted);
        sscanf(line, "NoNewPrivs: %d", &no_new);
    }
    return effective == 0 && bounds_permitted == 0 && no_new == 1 ? held("none") : escaped("capabilities");
}
static int still_root(void) { return getuid() && geteuid() && getgid() ? held("user") : escaped("root"); }
static int become_root(void) { return must_fail("setuid", setuid(0)); }
static int supplementary_groups(void) { gid_t groups[64]; int count = getgroups(64, groups); for (int at = 0; at < count; at++) if (groups[at] == 0) return escaped("root group"); return held("getgroups"); }
static int session_keys(void) { return must_be_refused("keyctl", syscall(SYS_keyctl, 0, -3, 0)); }
static int add_key_(void) { return must_be_refused("add_key", syscall(SYS_add_key, "user", "x", "y", 1, -1)); }
static int request_key_(void) { return must_be_refused("request_key", syscall(SYS_request_key, "user", "x", NULL, 0)); }
static int page_faults(void) { return must_be_refused("userfaultfd", syscall(SYS_userfaultfd, 1)); }
static int ring(void) { char parameters[256] = {0}; return must_be_refused("io_uring_setup", syscall(SYS_io_uring_setup, 8, parameters)); }
static int bpf_program(void) { char attributes[128] = {0}; return must_be_refused("bpf", syscall(SYS_bpf, 5, attributes, sizeof attributes)); }
static int performance(void) { char attributes[128] = {0}; return must_be_refused("perf_event_open", syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0)); }
static int load_kernel(void) { return must_be_refused("kexec_load", syscall(SYS_kexec_load, 0, 0, NULL, 0)); }
static int load_module(void) { return must_be_refused("init_module", syscall(SYS_init_module, "", 0, "")); }
static int load_module_file(void) { return must_be_refused("finit_module", syscall(SYS_finit_module, 0, "", 0)); }
static int remove_module(void) { return must_be_refused("delete_module", syscall(SYS_delete_module, "none", 0)); }
static int restart(void) { return must_be_refused("reboot", syscall(SYS_reboot, 0, 0, 0, 0)); }
static int swap_on(void) { return must_be_refused("swapon", syscall(SYS_swapon, "/none", 0)); }
static int set_clock(void) { struct timespec now; clock_gettime(CLOCK_REALTIME, &now); return must_be_refused("clock_settime", clock_settime(CLOCK_REALTIME, &now)); }
static int kernel_log(void) { char text[64]; return must_be_refused("syslog", syscall(SYS_syslog, 3, text, sizeof text)); }
static int set_host_name(void) { return must_be_refused("sethostname", sethostname("pwned", 5)); }
static int accounting(void) { return must_be_refused("acct", acct(in(work, "acct"))); }
static int watch_everything(void) { return must_be_refused("fanotify_init", syscall(SYS_fanotify_init, 0, 0)); }
static int fixed_addresses(void) { return must_be_refused("personality", personality(ADDR_NO_RANDOMIZE)); }
static int type_into_terminal(void) { char c = 'x'; return must_be_refused("ioctl", ioctl(0, TIOCSTI, &c)); }
static int type_with_high_bits(void) { char c = 'x'; return must_be_refused("ioctl", syscall(SYS_ioctl, 0, (1ULL << 32) | TIOCSTI, &c)); }
static int terminal_selection(void) { char c = 2; return must_be_refused("ioctl", ioctl(0, 0x541c, &c)); }
#ifdef __x86_64__
static int second_numbers(void) { long result = syscall(0x40000000 + SYS_getpid); return must_fail("x32", result); }
static int old_calls(void) { long result; __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory"); return result < 0 ? held("int80") : escaped("int80"); }
static int ports(void) { return must_be_refused("iopl", syscall(SYS_iopl, 3)); }
static int segments(void) { return must_be_refused("modify_ldt", syscall(SYS_modify_ldt, 0, NULL, 0)); }
#endif
static int core_dumps(void) { struct rlimit limit; getrlimit(RLIMIT_CORE, &limit); return limit.rlim_max == 0 ? held("limit") : escaped("limit"); }

/* The network. */
static int connects(int family, const char *text, int to) {
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (fd < 0) return held("socket");
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(to)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(to)};
    int result;
    if (family == AF_INET) { inet_pton(AF_INET, text, &v4.sin_addr); result = connect(fd, (void *)&v4, sizeof v4); }
    else { inet_pton(AF_INET6, text, &v6.sin6_addr); result = connect(fd, (void *)&v6, sizeof v6); }
    if (result < 0 && errno != EINPROGRESS) return held("connect");
    struct pollfd wait = {fd, POLLOUT, 0};
    if (poll(&wait, 1, 1000) != 1) return held("no answer");
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    errno = error;
    return error ? held("connect") : escaped("connect");
}
static int tcp_loopback(void) { return connects(AF_INET, "127.0.0.1", port); }
static int tcp6_loopback(void) { return connects(AF_INET6, "::1", port); }
static int tcp_internet(void) { return connects(AF_INET, "1.1.1.1", 443); }
static int metadata_service(void) { return connects(AF_INET, "169.254.169.254", 80); }
static int udp_loopback(void) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    /* Into an own loopback one may send; the test looks whether it arrived. */
    if (fd < 0 || sendto(fd, "pwned", 5, 0, (void *)&to, sizeof to) < 0) return held("sendto");
    return held("own loopback");
}
static int dns(void) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(53)};
    inet_pton(AF_INET, "8.8.8.8", &to.sin_addr);
    return must_fail("sendto", fd < 0 ? -1 : sendto(fd, "x", 1, 0, (void *)&to, sizeof to));
}
static int names(void) {
    struct addrinfo *found;
    return getaddrinfo("example.com", "80", NULL, &found) == 0 ? escaped("getaddrinfo") : held("getaddrinfo");
}
static int raw_socket(void) { return must_be_refused("socket", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)); }
static int packet_socket(void) { return must_be_refused("socket", socket(AF_PACKET, SOCK_RAW, 0)); }
static int netlink_socket(void) { return must_be_refused("socket", socket(AF_NETLINK, SOCK_RAW, 0)); }
static int vsock_socket(void) { return must_be_refused("socket", socket(AF_VSOCK, SOCK_STREAM, 0)); }
static int crypto_socket(void) { return must_be_refused("socket", socket(AF_ALG, SOCK_SEQPACKET, 0)); }
static int bluetooth_socket(void) { return must_be_refused("socket", socket(AF_BLUETOOTH, SOCK_SEQPACKET, 0)); }
static int unix_connects(int type, const char *name, int abstract) {
    int fd = socket(AF_UNIX, type, 0);
    if (fd < 0) return held("socket");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    strncpy(to.sun_path + abstract, name, sizeof to.sun_path - 2);
    return must_fail("connect", connect(fd, (void *)&to, abstract ? (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name)) : (socklen_t)sizeof to));
}
static int unix_socket(void) { return unix_connects(SOCK_STREAM, in(root, "host.sock"), 0); }
static int unix_socket_in_workspace(void) { return unix_connects(SOCK_STREAM, in(work, "service.sock"), 0); }
static int abstract_socket(void) { char name[64]; snprintf(name, sizeof name, "skillyard-%d", port); return unix_connects(SOCK_STREAM, name, 1); }
static int turned_pair(void) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0) return held("socketpair");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    strncpy(to.sun_path, in(work, "datagram.sock"), sizeof to.sun_path - 1);
    return must_fail("connect", connect(pair[0], (void *)&to, sizeof to));
}
static int engine_socket(void) {
    const char *places[] = {"/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", "/run/dbus/system_bus_socket", "/run/systemd/private"};
    for (int at = 0; at < 5; at++) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        struct sockaddr_un to = {.sun_family = AF_UNIX};
        strcpy(to.sun_path, places[at]);
        if (fd >= 0 && connect(fd, (void *)&to, sizeof to) == 0) return escaped(places[at]);
    }
    return held("connect");
}
static int shared_segment(void) { return must_fail("shmget", shmget(port, 0, 0)); }
static int message_queue(void) { return must_fail("msgget", msgget(port, 0)); }
static int posix_queue(void) { char name[64]; snprintf(name, sizeof name, "/skillyard-%d", port); mqd_t queue = mq_open(name, O_RDONLY); return must_fail("mq_open", queue == (mqd_t)-1 ? -1 : 0); }

#define PROBE(name) {#name, name}
static const struct { const char *name; int (*run)(void); } probes[] = {
    PROBE(read_ssh_key), PROBE(read_credentials), PROBE(read_shadow), PROBE(read_passwd_of_host), PROBE(read_machine_id),
    PROBE(read_other_skill), PROBE(list_home), PROBE(symlink_to_secret), PROBE(hardlink_secret), PROBE(rename_secret_here),
    PROBE(truncate_secret), PROBE(chmod_outside), PROBE(touch_outside), PROBE(chown_outside), PROBE(attribute_outside), PROBE(late_attribute_outside), PROBE(late_attribute_removed), PROBE(late_flags_outside), PROBE(watch_home), PROBE(through_proc_root), PROBE(through_proc_self_root), PROBE(through_proc_cwd),
    PROBE(through_parent_folders), PROBE(through_leaked_folder), PROBE(write_home), PROBE(write_outside), PROBE(make_folder_outside),
    PROBE(remove_outside), PROBE(write_etc), PROBE(write_programs), PROBE(write_root_folder), PROBE(write_dev),
    PROBE(change_own_skill), PROBE(add_to_own_skill), PROBE(remove_own_skill), PROBE(rename_own_skill),
    PROBE(write_shared_memory_folder), PROBE(write_host_tmp), PROBE(race_links), PROBE(race_renames),
    PROBE(make_block_device), PROBE(make_char_device), PROBE(open_memory_device), PROBE(open_kvm), PROBE(open_fuse),
    PROBE(open_disk), PROBE(open_terminal), PROBE(chmod_setuid), PROBE(fchmod_setgid), PROBE(create_setuid),
    PROBE(fchmodat2_setuid), PROBE(openat2_setuid), PROBE(mount_tmpfs), PROBE(bind_mount), PROBE(remount), PROBE(unmount),
    PROBE(pivot), PROBE(open_tree_clone), PROBE(open_file_system), PROBE(move_a_mount), PROBE(set_mount_attributes),
    PROBE(change_root), PROBE(open_by_handle), PROBE(write_core_pattern), PROBE(write_sysrq), PROBE(write_sysctl),
    PROBE(write_modprobe), PROBE(write_sys), PROBE(make_cgroup), PROBE(overwrite_launcher),
    PROBE(see_host_process), PROBE(read_host_environment), PROBE(kill_host), PROBE(signal_everybody), PROBE(kill_parent),
    PROBE(stop_parent), PROBE(trace_parent), PROBE(trace_host), PROBE(trace_me), PROBE(read_memory_of_parent),
    PROBE(write_memory_of_parent), PROBE(open_memory_of_parent), PROBE(list_descriptors_of_parent), PROBE(take_descriptor),
    PROBE(compare_processes), PROBE(inherited_descriptors), PROBE(secrets_in_environment), PROBE(unshare_user),
    PROBE(unshare_mounts), PROBE(clone_user), PROBE(clone3_user), PROBE(enter_namespace), PROBE(capabilities),
    PROBE(still_root), PROBE(become_root), PROBE(supplementary_groups), PROBE(session_keys), PROBE(add_key_),
    PROBE(request_key_), PROBE(page_faults), PROBE(ring), PROBE(bpf_program), PROBE(performance), PROBE(load_kernel),
    PROBE(load_module), PROBE(load_module_file), PROBE(remove_module), PROBE(restart), PROBE(swap_on), PROBE(set_clock),
    PROBE(kernel_log), PROBE(set_host_name), PROBE(accounting), PROBE(watch_everything), PROBE(fixed_addresses),
    PROBE(type_into_terminal), PROBE(type_with_high_bits), PROBE(terminal_selection), PROBE(core_dumps),
#ifdef __x86_64__
    PROBE(second_numbers), PROBE(old_calls), PROBE(ports), PROBE(segments),
#endif
    PROBE(tcp_loopback), PROBE(tcp6_loopback), PROBE(tcp_internet), PROBE(metadata_service), PROBE(udp_loopback), PROBE(dns),
    PROBE(names), PROBE(raw_socket), PROBE(packet_socket), PROBE(netlink_socket), PROBE(vsock_socket), PROBE(crypto_socket),
    PROBE(bluetooth_socket), PROBE(unix_socket), PROBE(unix_socket_in_workspace), PROBE(abstract_socket), PROBE(turned_pair),
    PROBE(engine_socket), PROBE(shared_segment), PROBE(message_queue), PROBE(posix_queue),
};

/* probes NAME ROOT WORK OWN PORT BYSTANDER LEAKED */
int main(int count, char **words) {
    if (count == 2 && !strcmp(words[1], "list")) {
        for (size_t at = 0; at < sizeof probes / sizeof *probes; at++) puts(probes[at].name);
        return 0;
    }
    /* Objects of the host that a probe must not find. */
    if (count == 3 && !strcmp(words[1], "prepare")) {
        char name[64];
        port = atoi(words[2]);
        snprintf(name, sizeof name, "/skillyard-%d", port);
        umask(0);
        if (mq_open(name, O_RDONLY | O_CREAT, 0666, NULL) == (mqd_t)-1) { perror("mq_open"); return 1; }
        return shmget(port, 4096, IPC_CREAT | 0666) < 0 || msgget(port, IPC_CREAT | 0666) < 0;
    }
    if (count == 3 && !strcmp(words[1], "remove")) {
        char name[64];
        port = atoi(words[2]);
        snprintf(name, sizeof name, "/skillyard-%d", port);
        mq_unlink(name);
        shmctl(shmget(port, 0, 0), IPC_RMID, NULL);
        msgctl(msgget(port, 0), IPC_RMID, NULL);
        return 0;
    }
    if (count != 8) return 2;
    root = words[2];
    work = words[3];
    own = words[4];
    port = atoi(words[5]);
    bystander = atoi(words[6]);
    leaked = atoi(words[7]);
    for (size_t at = 0; at < sizeof probes / sizeof *probes; at++)
        if (!strcmp(probes[at].name, words[1])) return probes[at].run();
    return 2;
}
