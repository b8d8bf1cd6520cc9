import type {ErrorCode} from '../manual/error-codes.ts';

/**
 * An expected failure with a stable name. The message is one sentence: the failed action, the value
 * in quotes, what to do; no final period. `code` is snake_case, public, and explained by `manual/error-codes.json`.
 */
export class SvcError extends Error {
	override readonly name = 'SvcError';

	readonly code: ErrorCode;

	constructor(code: ErrorCode, message: string, options?: {readonly cause?: unknown}) {
		super(message, options);
		this.code = code;
	}
}

/**
 * Recreates an error from the code that another process of this program, or the cause of an error, reported.
 *
 * @param code bounded in length by the caller; possibly unknown here, if the other process is newer
 */
export const errorWithCode = (
	code: string,
	message: string,
	options?: {readonly cause?: unknown},
): SvcError =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readers compare it with known codes
	new SvcError(code as ErrorCode, message, options);

/** The `code` of any thrown value: ours, Node's (`EADDRINUSE`), or `unknown`. */
export function codeOf(error: unknown): string {
	const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
	return typeof code === 'string' && code !== '' ? code : 'unknown';
}

/** The message of any thrown value, for people; not redacted, not cleaned. For an error of the file system: the reason in words. */
export function messageOf(error: unknown): string {
	const refusal = refusalOf(error);
	if (refusal) {
		const {reason, code, syscall, path} = refusal;
		return `${reason} (${code}: ${syscall}${path === undefined ? '' : ` "${path}"`})`;
	}

	return error instanceof Error ? error.message : textOf(error);
}

/** Replaces a plain error of the file system by one whose message has the failed action, the reason and the remedy; returns any other `error` unchanged. */
export function explained(error: unknown): unknown {
	const refusal = refusalOf(error);
	if (!refusal) {
		return error;
	}

	const {act, path, reason, code, mend} = refusal;
	return new SvcError(
		'file_system_failed',
		`Cannot ${act} ${path === undefined ? 'a file' : `"${path}"`}: ${reason} (${code}); ${mend}`,
		{cause: error},
	);
}

/** Reason and remedy for each error code of the file system. */
const refusals: Readonly<Record<string, readonly [reason: string, mend: string]>> = {
	EACCES: ['permission is denied', 'let the user of svc read and write it'],
	EDQUOT: ["this user's share of the disk is used up", 'free some space and try again'],
	EEXIST: ['something of that name is there', 'move it away'],
	EISDIR: ['it is a folder', 'move the folder away, or name a file'],
	EMFILE: ['this process has too many files open', 'raise the limit (ulimit -n) and start again'],
	ENAMETOOLONG: ['the name is too long', 'use a shorter one'],
	ENFILE: ['the system has too many files open', 'end what opens so many'],
	ENOSPC: ['the disk is full', 'free some space and try again'],
	ENOTDIR: ['what should be a folder on the way to it is a file', 'move that file away'],
	ENOTEMPTY: ['the folder is not empty', 'move it away'],
	EPERM: ['the system does not permit it', 'look at its owner and attributes'],
	EROFS: ['the file system is read-only', 'mount it for writing, or use another folder'],
};

/** The action of each system call on a path, in words. Other calls (`connect`, `spawn`) do not concern files. */
const acts: Readonly<Record<string, string>> = {
	access: 'use',
	chmod: 'change the rights of',
	chown: 'change the owner of',
	copyfile: 'copy',
	fchmod: 'change the rights of',
	fsync: 'write',
	ftruncate: 'write',
	link: 'make',
	lstat: 'look at',
	mkdir: 'make the folder',
	mkdtemp: 'make the folder',
	open: 'open',
	opendir: 'read the folder',
	read: 'read',
	rename: 'replace',
	rm: 'remove',
	rmdir: 'remove',
	scandir: 'read the folder',
	stat: 'look at',
	symlink: 'make',
	unlink: 'remove',
	write: 'write',
};

function refusalOf(error: unknown) {
	const {syscall, path, dest}: NodeJS.ErrnoException & {readonly dest?: unknown} =
		error instanceof Error ? error : new Error();
	const code = codeOf(error);
	const [reason, mend] = (Object.hasOwn(refusals, code) && refusals[code]) || [];
	const act = syscall !== undefined && Object.hasOwn(acts, syscall) ? acts[syscall] : undefined;
	return reason && mend && act && syscall
		? {reason, mend, act, code, syscall, path: typeof dest === 'string' ? dest : path}
		: undefined;
}

function textOf(value: unknown): string {
	try {
		return String(value);
	} catch {
		// A thrown value may have no string form.
		return Object.prototype.toString.call(value);
	}
}
