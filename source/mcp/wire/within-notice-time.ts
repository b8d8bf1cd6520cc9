import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';

/** How long a server may take over a message that it only has to accept. */
const noticeMs = 30_000;

/** Sends such a message with a signal that aborts after 30 s. Rejects as `send` does. */
export async function withinNoticeTime(
	clock: Clock,
	send: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
	const abort = new AbortController();
	const cancel = clock.after(noticeMs, () => {
		abort.abort(new SvcError('mcp_connect_failed', 'It does not take a notification'));
	});
	try {
		await send(abort.signal);
	} finally {
		cancel();
	}
}
