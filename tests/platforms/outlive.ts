import type {JsonObject} from '../../source/core/json.ts';
import {randomOf, runSeed} from '../helpers/random.ts';
import {createHeard, openListener} from './open-listener.ts';
import type {Reply, Service} from './service.ts';

const messages = 200;
const breaks = 20;

/**
 * Has 200 messages written while 20 times something breaks, of which the seed of the run says what and when: connections that end, answers that are lost, `refusals`, a disk that is full, a
 * process that is killed. Resolves with the texts that the disk has, once it has all.
 */
export async function outlive(
	kind: string,
	{
		service,
		written,
		write,
		refusals,
	}: {
		readonly service: Pick<Service, 'cut' | 'react' | 'reactToChecks'>;
		readonly written: JsonObject;
		/** Somebody writes that text. */
		readonly write: (text: string) => void;
		readonly refusals: readonly Reply[];
	},
) {
	const random = randomOf(runSeed);
	const below = (count: number) => Math.floor(random() * count);
	const heard = createHeard();
	let failures = 0;
	/** A process, which connects again whenever a connection ends. */
	const start = async () => {
		const open = await openListener(kind, written, {heard});
		const killed = new AbortController();
		const run = async () => {
			while (!killed.signal.aborted) {
				// oxlint-disable-next-line no-await-in-loop -- one connection after the other
				await open.listen().catch(() => {
					failures += 1;
				});
			}
		};
		const running = run();
		return {
			async until(holds: () => boolean) {
				await open.until(holds);
			},
			async kill() {
				killed.abort();
				await open[Symbol.asyncDispose]();
				await running;
			},
		};
	};

	let process = await start();
	await process.until(() => heard.notes.length > 0);
	const kinds: ReadonlyArray<() => void | Promise<void>> = [
		() => {
			service.cut();
		},
		() => {
			service.react('breaks');
			service.cut();
		},
		() => {
			service.reactToChecks('breaks');
			service.cut();
		},
		() => {
			service.react(...refusals.slice(below(refusals.length)).slice(0, 1));
			service.cut();
		},
		() => {
			heard.failures.push(new Error('no space left on device'));
		},
		async () => {
			await process.kill();
			process = await start();
		},
	];
	const at = new Set(Array.from({length: breaks}, (_, nth) => nth * 10 + below(10)));
	for (let nth = 0; nth < messages; nth += 1) {
		write(`message ${nth}`);
		if (at.has(nth)) {
			// oxlint-disable-next-line no-await-in-loop -- in their order
			await kinds[below(kinds.length)]?.();
		}

		if (below(4) === 0) {
			// Some come one by one, others many at once.
			const seen = below(nth + 1);
			// oxlint-disable-next-line no-await-in-loop -- in their order
			await process.until(() => heard.messages.size > seen);
		}
	}

	await process.until(() => heard.messages.size >= messages);
	await process.kill();
	return {
		heard,
		failures,
		texts: [...heard.messages.values()].map(({text}) => text),
		expected: Array.from({length: messages}, (_, nth) => `message ${nth}`),
	};
}
