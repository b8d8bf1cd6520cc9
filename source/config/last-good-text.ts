import {messageOf} from '../core/errors.ts';
import type {World} from '../core/world.ts';
import type {EditedText} from './shared-home.ts';

/** A file changed less than this ago may change again within the same tick of its time stamp. */
const unsettledMs = 100;

/** What a text says, or said last when it could be used. */
export type LastGood = {
	/** Why the text could not be used; the rest is then that of the last good one. */
	readonly problem?: string;
	/** With `problem`: none has been good yet, so that it is not known what the text holds. */
	readonly isUnread?: true;
};

/**
 * Reads a text again whenever its stamp changed: one `stat` a call, and nothing more unless it did. A text that `read` throws for is reported once to `log`, with the `consequence`, and leaves
 * what was read last in place, but for `failed`. A change of the text makes a new object. Never throws.
 */
export function createLastGoodReader<Read extends LastGood>(
	written: Omit<EditedText, 'edit'>,
	{clock, log}: Pick<World, 'clock' | 'log'>,
	options: {
		/** Before the first text. */
		readonly first: Read;
		/** Stands for a text that is not there. */
		readonly absent: string;
		/** What the text says; `last`: what counts until then. */
		readonly read: (text: string, last: Read) => Read;
		/** Differs in what was read last while the text cannot be used. */
		readonly failed?: Partial<Read>;
		/** What follows the problem in a sentence. */
		readonly consequence: (wasRead: boolean) => string;
	},
): {current(): Read} {
	const {first, absent, read, failed, consequence} = options;
	let stamp: string | undefined;
	let lastText: string | undefined;
	let last = first;
	let wasRead = false;
	const reread = () => {
		try {
			const text = written.read() ?? absent;
			if (text !== lastText) {
				last = read(text, last);
				lastText = text;
				wasRead = true;
			}
		} catch (error) {
			const problem = messageOf(error);
			if (problem !== last.problem) {
				log.warn(`${problem}; ${consequence(wasRead)}`);
				last = {...last, ...failed, problem, ...(!wasRead && {isUnread: true})};
				lastText = undefined;
			}
		}
	};

	return {
		current() {
			const seen = written.stamp();
			if (seen.stamp !== stamp) {
				reread();
				stamp = clock.now() - seen.changedAt > unsettledMs ? seen.stamp : undefined;
			}

			return last;
		},
	};
}
