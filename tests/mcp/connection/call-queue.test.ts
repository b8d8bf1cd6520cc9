import {expect, test} from 'vitest';
import {createCallQueue} from '../../../source/mcp/connection/call-queue.ts';

const {signal} = new AbortController();

/** Tasks that end when they are told to. */
function tasks(queue: ReturnType<typeof createCallQueue>) {
	const started: string[] = [];
	const ends = new Map<string, () => void>();
	return {
		started,
		end: (name: string) => ends.get(name)?.(),
		run: async (name: string, aborts: AbortSignal = signal) =>
			queue.run(aborts, async () => {
				started.push(name);
				await new Promise<void>(resolve => {
					ends.set(name, resolve);
				});
				return name;
			}),
	};
}

test('calls run one after the other, in the order they came', async () => {
	const {run, started, end} = tasks(createCallQueue(1));
	const all = Promise.all(['a', 'b', 'c'].map(async name => run(name)));
	await Promise.resolve();
	expect(started).toEqual(['a']);
	for (const name of ['a', 'b', 'c']) {
		while (!started.includes(name)) {
			await Promise.resolve();
		}

		expect(started.at(-1)).toBe(name);
		end(name);
	}

	expect(await all).toEqual(['a', 'b', 'c']);
});

test('so many run side by side as may', async () => {
	const {run, started} = tasks(createCallQueue(2));
	void run('a');
	void run('b');
	void run('c');
	await Promise.resolve();

	expect(started).toEqual(['a', 'b']);
});

test('a caller that gives up leaves the queue; its task never starts', async () => {
	const {run, started, end} = tasks(createCallQueue(1));
	const controller = new AbortController();
	const first = run('a');
	const second = run('b', controller.signal);
	const third = run('c');
	controller.abort(new Error('run cancelled'));
	await expect(second).rejects.toThrow('run cancelled');
	end('a');
	await first;
	while (!started.includes('c')) {
		await Promise.resolve();
	}

	end('c');
	await third;
	expect(started).toEqual(['a', 'c']);
});

test('an abort while a task runs is the business of the task', async () => {
	const {run, end} = tasks(createCallQueue(1));
	const controller = new AbortController();
	const running = run('a', controller.signal);
	await Promise.resolve();
	controller.abort();
	end('a');

	expect(await running).toBe('a');
});

test('a task that fails lets the next one in', async () => {
	const queue = createCallQueue(1);
	const failing = queue.run(signal, async () => Promise.reject(new Error('no')));
	const next = queue.run(signal, async () => 'yes');

	await expect(failing).rejects.toThrow('no');
	expect(await next).toBe('yes');
});

test('who comes with an aborted signal is turned away', async () => {
	await expect(
		createCallQueue(1).run(AbortSignal.abort(new Error('gone')), async () => 'never'),
	).rejects.toThrow('gone');
});
