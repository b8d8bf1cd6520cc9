import {PassThrough} from 'node:stream';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {createLineInput} from '../../../source/tui/linear/line-input.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

function openInput() {
	const modes: boolean[] = [];
	const stdin = Object.assign(new PassThrough(), {
		isTTY: true,
		setRawMode(isRaw: boolean) {
			modes.push(isRaw);
		},
	});
	const stdout = Object.assign(new PassThrough(), {columns: 80});
	let written = '';
	stdout.on('data', (data: Buffer) => {
		written += String(data);
	});
	const lines: string[] = [];
	const alone: string[] = [];
	const input = createLineInput(
		{
			stdin: stdin as unknown as NodeJS.ReadStream,
			stdout: stdout as unknown as NodeJS.WriteStream,
			clock: createFakeClock(0),
		},
		{
			onLines(read) {
				lines.push(...read.map(({text}) => text));
				alone.push(...read.filter(typed => typed.alone).map(({text}) => text));
			},
			onInterrupt() {},
			onEnd() {},
			onStop() {},
			onGone() {},
		},
	);
	return {
		input,
		lines,
		/** Those of them that may allow something. */
		alone,
		/** Whether the terminal is raw now. */
		isRaw: () => modes.at(-1),
		written: () => written,
		async type(text: string) {
			stdin.write(text);
			await turn();
			await turn();
		},
		[Symbol.dispose]() {
			input[Symbol.dispose]();
		},
	};
}

const secret = {isMasked: true, isAnswer: true} as const;
const plain = {isMasked: false, isAnswer: true} as const;

test('a secret that is half typed stays unseen when it is asked for again, and is whole at its end', async () => {
	using opened = openInput();
	opened.input.prompt('secret> ', secret);
	await opened.type('hunter');
	// Something was announced meanwhile.
	opened.input.prompt('secret> ', secret);
	await opened.type('2\r');
	expect(opened.written()).toContain('secret> ');
	expect(opened.written()).not.toMatch(/hunter|2/);
	expect(opened.lines).toEqual(['hunter2']);
});

test('what was typed of a secret is gone when something else is asked, and after Ctrl-C', async () => {
	using opened = openInput();
	opened.input.prompt('secret> ', secret);
	await opened.type('hunter2');
	opened.input.prompt('svc> ', plain);
	await opened.type('list\r');
	opened.input.prompt('secret> ', secret);
	await opened.type('hunter2');
	await opened.type('\u0003');
	opened.input.prompt('svc> ', plain);
	await opened.type('quit\r');
	opened.input.prompt('secret> ', secret);
	await opened.type('hunter2');
	await opened.type('\u0003');
	opened.input.prompt('secret> ', secret);
	await opened.type('other\r');
	expect(opened.written()).not.toMatch(/hunter|other/);
	expect(opened.lines).toEqual(['list', 'quit', 'other']);
});

test('what is no secret is there again with its prompt', async () => {
	using opened = openInput();
	opened.input.prompt('svc> ', plain);
	await opened.type('traf');
	opened.input.prompt('svc> ', plain);
	await opened.type('fic\r');
	expect(opened.lines).toEqual(['traffic']);
});

test('arrow up brings commands back, and no answers', async () => {
	using opened = openInput();
	const up = '\u001B[A';
	opened.input.prompt('svc> ', {isMasked: false, isAnswer: false});
	await opened.type('traffic\r');
	opened.input.prompt('yes or no> ', plain);
	await opened.type('yes\r');
	opened.input.prompt('svc> ', {isMasked: false, isAnswer: false});
	await opened.type(`${up}\r`);
	expect(opened.lines).toEqual(['traffic', 'yes', 'traffic']);
});

test('who stops together with the program that has the terminal leaves it to that program', async () => {
	using opened = openInput();
	opened.input.prompt('svc> ', plain);
	const editing = Promise.withResolvers<void>();
	const lent = opened.input.suspend(async () => editing.promise);
	// Ctrl-Z there is sent to all in the foreground.
	await opened.input.suspend(async () => {});
	expect(opened.isRaw()).toBe(false);
	expect(opened.input.isLent()).toBe(true);

	editing.resolve();
	await lent;
	expect(opened.isRaw()).toBe(true);
});

test('a line is alone only when its read held nothing else: neither another line nor the beginning of one', async () => {
	using opened = openInput();
	opened.input.prompt('allow or deny> ', plain);
	await opened.type('a\nyes\n');
	await opened.type('yes\nx');
	await opened.type('\n');
	await opened.type('no\n');
	expect(opened.lines).toEqual(['a', 'yes', 'yes', 'x', 'no']);
	expect(opened.alone).toEqual(['x', 'no']);
});
