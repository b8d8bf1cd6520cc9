import type {JsonObject} from '../../source/core/json.ts';
import {DeliveryError} from '../../source/platforms/delivery-error.ts';
import type {FakeClock} from '../helpers/fake-clock.ts';
import {randomOf, runSeed} from '../helpers/random.ts';
import {createHeard, openListener} from './open-listener.ts';

const messages = 200;
const breaks = 20;

/**
 * Has the numbers from 0 to 199 written in several chats while 20 times something breaks: a connection, as `endings` do it, the disk, or the process. The seed of the run says what and
 * when. Resolves once the disk has all, with the numbers that it has of each chat, in the order in which they came, and with errors after which no other connection would follow.
 */
export async function liveThrough(
	kind: string,
	{
		written,
		chats,
		allowed = [],
		write,
		endings,
		isUp,
	}: {
		readonly written: JsonObject;
		readonly chats: readonly string[];
		/** Users who may talk with us. */
		readonly allowed?: readonly string[];
		/** Somebody writes that text there. */
		readonly write: (chat: string, text: string) => void;
		/** They get the clock of the process. */
		readonly endings: ReadonlyArray<(clock: FakeClock) => unknown>;
		/** Resolves once there is a connection. */
		readonly isUp: () => Promise<void>;
	},
) {
	const random = randomOf(runSeed);
	const below = (count: number) => Math.floor(random() * count);
	const heard = createHeard();
	const final: unknown[] = [];
	/** A process, which connects again whenever a connection ends. */
	const start = async () => {
		const open = await openListener(kind, written, {heard, allowed});
		const life = new AbortController();
		const run = async () => {
			while (!life.signal.aborted) {
				// oxlint-disable-next-line no-await-in-loop -- one connection after the other
				await open.listen(life.signal).catch((error: unknown) => {
					if (error instanceof DeliveryError && !error.retryable) {
						final.push(error);
					}
				});
			}
		};
		const running = run();
		return {
			clock: open.clock,
			until: open.until,
			async kill() {
				life.abort();
				await running;
				await open[Symbol.asyncDispose]();
			},
		};
	};

	let process = await start();
	const ends: ReadonlyArray<(clock: FakeClock) => unknown> = [
		...endings,
		() => {
			heard.failures.push(new Error('no space left on device'));
		},
		async () => {
			await process.kill();
			process = await start();
		},
	];
	await process.until(() => heard.notes.length > 0);
	for (const [nth, chat] of chats.entries()) {
		write(chat, `${nth}`);
	}

	await process.until(() => heard.messages.size === chats.length);
	const at = new Set(Array.from({length: breaks}, (_, nth) => chats.length + nth * 9 + below(9)));
	for (let nth = chats.length; nth < messages; nth++) {
		if (at.has(nth)) {
			// oxlint-disable-next-line no-await-in-loop -- in their order
			await ends[below(ends.length)]?.(process.clock);
		}

		write(chats[below(chats.length)] ?? '', `${nth}`);
		if (below(4) === 0) {
			// Some come while nobody listens, others are heard at once.
			// oxlint-disable-next-line no-await-in-loop -- in their order
			await isUp();
		}
	}

	await process.until(() => heard.messages.size === messages);
	await process.kill();
	const all = [...heard.messages.values()];
	const numbers = chats.map(name =>
		all.filter(({chat}) => chat === name).map(({text}) => Number(text)),
	);
	return {
		numbers,
		inOrder: numbers.map(some => some.toSorted((a, b) => a - b)),
		final,
	};
}
