/** The numbers of one processor's system calls. */
type Machine = {
	/** `AUDIT_ARCH_…` of linux/audit.h. */
	readonly audit: number;
	readonly socket: number;
	readonly ioctl: number;
	readonly clone: number;
	/** Its flags are in memory, which a filter cannot read: reported as missing, so that libc uses `clone`. */
	readonly clone3: number;
	/** Shared memory and semaphores of System V: a segment that is not attached belongs to no process, so is not counted. */
	readonly shmget: number;
	readonly semget: number;
	/** memfd_create, memfd_secret, msgget: memory that belongs to no process. Reported as missing: programs then use files, which are counted. */
	readonly uncounted: readonly number[];
	readonly refused: readonly number[];
	/** Calls that set a file's mode, with the index of the mode argument: chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat. */
	readonly modes: readonly Placed[];
	/** Calls that set a mode only if they create the file, with the index of the mode argument, which follows the flags: open, openat. */
	readonly opens: readonly Placed[];
};

type Placed = readonly [call: number, at: number];

/** In this order: unshare, setns, mount, umount2, pivot_root, chroot, add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, kexec_load, init_module, finit_module, delete_module, open_by_handle_at, name_to_handle_at. */
const x64Refused = [
	272, 308, 165, 166, 155, 161, 248, 249, 250, 321, 298, 323, 246, 175, 313, 176, 304, 303,
];
const arm64Refused = [
	97, 268, 40, 39, 41, 51, 217, 218, 219, 280, 241, 282, 104, 105, 273, 106, 265, 264,
];
/**
 * Equal on all processors: io_uring_setup, io_uring_enter, io_uring_register (filters cannot see their commands), open_tree, move_mount, fsopen, fsconfig,
 * fsmount, mount_setattr.
 */
const newRefused = [425, 426, 427, 428, 429, 430, 431, 432, 442];

/** Equal on all processors. The mode of openat2 is in memory: reported as missing, so that programs use openat. */
const [fchmodat2, openat2] = [452, 437];

/** S_ISUID, S_ISGID: outside of the sandbox, anybody who starts such a file would run it as the gateway's user. */
const setsIds = 0o6000;

/** O_CREAT, and the bit of O_TMPFILE that is not O_DIRECTORY. */
const makesFile = 0o100 | 0o20_000_000;

const machines: Readonly<Record<string, Machine>> = {
	x64: {
		audit: 0xc0_00_00_3e,
		socket: 41,
		ioctl: 16,
		clone: 56,
		clone3: 435,
		shmget: 29,
		semget: 64,
		uncounted: [319, 447, 68],
		refused: [...x64Refused, ...newRefused],
		modes: [
			[90, 1],
			[91, 1],
			[268, 2],
			[fchmodat2, 2],
			[85, 1],
			[133, 1],
			[259, 2],
		],
		opens: [
			[2, 2],
			[257, 3],
		],
	},
	arm64: {
		audit: 0xc0_00_00_b7,
		socket: 198,
		ioctl: 29,
		clone: 220,
		clone3: 435,
		shmget: 194,
		semget: 190,
		uncounted: [279, 447, 186],
		refused: [...arm64Refused, ...newRefused],
		modes: [
			[52, 1],
			[53, 2],
			[fchmodat2, 2],
			[33, 2],
		],
		opens: [[56, 3]],
	},
};

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others are not confined by network namespaces (AF_VSOCK reaches the host of a virtual machine). */
const families = [1, 2, 10, 16];

/** TIOCSTI, TIOCLINUX: they inject input into a terminal. */
const typing = [0x54_12, 0x54_1c];

const newUserNamespace = 0x10_00_00_00;
/** Marks the system calls of x32. */
const x32Bit = 0x40_00_00_00;

/**
 * The size of one segment in bytes, and of one set in semaphores. There are at most 4096 segments and 32000 sets. PostgreSQL needs 56 bytes, and 17 semaphores per
 * set if it uses any.
 */
const [maxSegmentBytes, maxSemaphores] = [16_384, 32];

const [load, jumpIfEqual, jumpIfAbove, jumpIfAny, end] = [0x20, 0x15, 0x35, 0x45, 0x06];
const [allow, refuse, absent, full] = [0x7f_ff_00_00, 0x00_05_00_01, 0x00_05_00_26, 0x00_05_00_1c];
/** Offset in `struct seccomp_data` of an argument's low half, counted from 0. */
const argumentAt = (index: number): number => 16 + 8 * index;

/** Offsets in `struct seccomp_data`: the call's number, the processor, the low halves of the first two arguments, the high half of the second. */
const [numberAt, machineAt, firstAt, secondAt, secondHighAt] = [0, 4, 16, 24, 28];

type Step = readonly [code: number, value: number, then?: number, otherwise?: number];

const x32Refused: readonly Step[] = [
	[jumpIfAbove, x32Bit, 0, 1],
	[end, refuse],
];

/**
 * A `seccomp` program (`struct sock_filter[]`, as `bwrap --seccomp` reads it) that refuses calls which namespaces do not confine: sockets of other families, the
 * kernel's keyrings, new namespaces and thereby mounts, injecting terminal input, memory that belongs to no process. Also refuses calls in another processor mode
 * (32 bits, x32), and modes that set user or group id, since the files exist outside. `undefined` for an unknown processor.
 *
 * @see seccomp(2), bpf(4)
 */
export function seccompProgram(arch: string): Buffer | undefined {
	const machine = machines[arch];
	if (!machine) {
		return undefined;
	}

	const {audit, socket, ioctl, clone, clone3, shmget, semget, uncounted, refused, modes, opens} =
		machine;
	/** For one system call: examines an argument; other calls skip these steps with their number loaded. */
	const only = (call: number, steps: readonly Step[]): readonly Step[] => [
		[jumpIfEqual, call, 0, steps.length],
		...steps,
	];
	/** Ends with `verdict` if the loaded number is one of `values`. */
	const oneOf = (values: readonly number[], verdict: number): readonly Step[] =>
		values.flatMap((value): readonly Step[] => [
			[jumpIfEqual, value, 0, 1],
			[end, verdict],
		]);
	const atMost = (call: number, most: number): readonly Step[] =>
		only(call, [
			[load, secondHighAt],
			[jumpIfEqual, 0, 0, 2],
			[load, secondAt],
			[jumpIfAbove, most + 1, 0, 1],
			[end, full],
			[end, allow],
		]);
	/** Refuses a mode (argument `at`) that sets user or group id. The last step allows. */
	const plainMode = (at: number): readonly Step[] => [
		[load, argumentAt(at)],
		[jumpIfAny, setsIds, 0, 1],
		[end, refuse],
		[end, allow],
	];
	const steps: readonly Step[] = [
		[load, machineAt],
		[jumpIfEqual, audit, 1, 0],
		[end, refuse],
		[load, numberAt],
		...(arch === 'x64' ? x32Refused : []),
		...oneOf(refused, refuse),
		...oneOf([clone3, openat2, ...uncounted], absent),
		...modes.flatMap(([call, at]) => only(call, plainMode(at))),
		...opens.flatMap(([call, at]) => {
			const mode = plainMode(at);
			return only(call, [
				[load, argumentAt(at - 1)],
				[jumpIfAny, makesFile, 0, mode.length - 1],
				...mode,
			]);
		}),
		...atMost(shmget, maxSegmentBytes),
		...atMost(semget, maxSemaphores),
		...only(clone, [
			[load, firstAt],
			[jumpIfAny, newUserNamespace, 0, 1],
			[end, refuse],
			[end, allow],
		]),
		...only(socket, [[load, firstAt], ...oneOf(families, allow), [end, refuse]]),
		...only(ioctl, [[load, secondAt], ...oneOf(typing, refuse), [end, allow]]),
		[end, allow],
	];
	const program = Buffer.alloc(steps.length * 8);
	for (const [index, [code, value, then = 0, otherwise = 0]] of steps.entries()) {
		program.writeUInt16LE(code, index * 8);
		program.writeUInt8(then, index * 8 + 2);
		program.writeUInt8(otherwise, index * 8 + 3);
		program.writeUInt32LE(value >>> 0, index * 8 + 4);
	}

	return program;
}
