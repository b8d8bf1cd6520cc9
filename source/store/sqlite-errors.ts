import {SvcError, codeOf, messageOf} from '../core/errors.ts';

const busy = 5;
const locked = 6;
const full = 13;

/** The meaning of a primary result code for the operator, and what to do. @see https://sqlite.org/rescode.html */
const remedies: Readonly<Record<number, string>> = {
	[busy]: 'another process keeps it locked: close whatever else has it open',
	[locked]: 'another process keeps it locked: close whatever else has it open',
	7: 'the memory of this machine is used up: free some',
	8: 'it may not be written: make the file and its folder writable for this user',
	10: 'the disk reports an input/output error: check the disk',
	11: 'the file is damaged: stop the gateway, move the file away or restore a backup, start again',
	[full]: 'the disk is full: free some space, the gateway goes on by itself',
	14: 'it cannot be opened: make the file and its folder readable and writable for this user',
	26: 'the file is not a database: move it away or restore a backup',
};

/** The primary SQLite result code of a thrown value, 1 to 255; `undefined` if it is not from SQLite. */
function sqliteCodeOf(error: unknown): number | undefined {
	if (!(error instanceof Error) || codeOf(error) !== 'ERR_SQLITE_ERROR' || !('errcode' in error)) {
		return undefined;
	}

	return typeof error.errcode === 'number' ? error.errcode % 256 : undefined;
}

/** Whether another connection holds the lock, so that the same call may succeed later. */
export const isBusy = (error: unknown): boolean => {
	const code = sqliteCodeOf(error);
	return code === busy || code === locked;
};

/** Whether the disk, or the page limit, is used up. */
export const isFull = (error: unknown): boolean => sqliteCodeOf(error) === full;

/** Whether the failure concerns the whole database and not a single statement. */
export function concernsDatabase(error: unknown): boolean {
	const code = sqliteCodeOf(error);
	return code !== undefined && Object.hasOwn(remedies, code);
}

const reasonOf = (error: unknown): string => remedies[sqliteCodeOf(error) ?? 0] ?? messageOf(error);

/** The error of a write that is not on disk. An `SvcError` is returned unchanged. */
export const journalUnavailable = (file: string, error: unknown): SvcError =>
	error instanceof SvcError
		? error
		: new SvcError(
				'journal_unavailable',
				`Cannot write to the journal "${file}": ${reasonOf(error)}`,
				{cause: error},
			);

/** The error of a store that cannot be opened or read. An `SvcError` is returned unchanged. `isFull`: whether the disk is full. */
export function storeUnreadable(
	file: string,
	error: unknown,
	{isFull: diskIsFull = isFull(error)}: {readonly isFull?: boolean} = {},
): SvcError {
	if (error instanceof SvcError) {
		return error;
	}

	const reason = diskIsFull ? 'the disk is full: free some space, then try again' : reasonOf(error);
	return new SvcError('store_unreadable', `Cannot read the store "${file}": ${reason}`, {
		cause: error,
	});
}
