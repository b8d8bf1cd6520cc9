import {readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {gatewayHome, startTestGateway} from '../helpers/gateway.ts';
import {hookSecret} from '../helpers/post.ts';
import {command} from './command.ts';
import {openTerminal} from './terminal.ts';

async function open() {
	const stack = new AsyncDisposableStack();
	const home = stack.use(
		await gatewayHome({subscriptions: {gh: {prompt: 'Say what {name} did', events: ['push']}}}),
	);
	stack.use(await startTestGateway({home}));
	return {
		home: home.path,
		edit: async (editor: string, ...flags: readonly string[]) =>
			command(['webhook', 'edit', 'gh', ...flags], {
				home: home.path,
				environment: editor === '' ? {} : {VISUAL: '', EDITOR: editor},
			}),
		entry: async () => {
			const file = await readFile(join(home.path, 'webhook_subscriptions.json'), 'utf8');
			return JSON.parse(file).gh;
		},
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

test('a route is edited in $EDITOR: problems are said, the difference is shown, a yes writes it, and no secret is printed', async () => {
	await using setup = await open();
	const told = [];
	for (const [editor, flags, answer] of [
		['true', ['--yes'], {code: 0, stderr: 'Left as it was\n'}],
		[
			`sed -i 's/name/nam/'`,
			[],
			{code: 1, stderr: expect.stringContaining('(confirmation_needed)')},
		],
		[
			`sed -i 's/^prompt.*/prompt: [/'`,
			['--yes'],
			{code: 1, stderr: expect.stringMatching(/line \d/)},
		],
		[
			String.raw`sed -i 's/^events:/rate_limit: soon\nevents:/'`,
			['--yes'],
			{code: 1, stderr: expect.stringContaining('Not saved:')},
		],
		[`sed -i 's/{name} did/{name} did, briefly/'`, ['--yes'], {code: 0}],
		['', [], {code: 1, stderr: expect.stringContaining('set $EDITOR')}],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one edit after the other
		const ran = await setup.edit(editor, ...flags);
		expect(ran).toMatchObject(answer);
		told.push(ran.stdout, ran.stderr);
	}

	expect(await setup.entry()).toMatchObject({
		prompt: 'Say what {name} did, briefly',
		events: ['push'],
		secret: hookSecret,
	});
	expect(told.join('')).toContain('+    "prompt": "Say what {name} did, briefly"');
	expect(told.join('')).not.toContain(hookSecret);
	const kept = join(setup.home, 'cache', 'edited-route-gh.yaml');
	expect(told.filter(text => text.includes(`your edit is in "${kept}"`))).toHaveLength(3);
	expect(await readFile(kept, 'utf8')).toContain('rate_limit: soon');
	expect((await stat(kept)).mode & 0o777).toBe(0o600);
	expect(await command(['webhook', 'edit', 'gone'], {home: setup.home})).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(route_not_found)'),
	});
});

test('without $EDITOR the settings are asked for one by one', async () => {
	await using setup = await open();
	const terminal = openTerminal(['webhook', 'edit', 'gh'], {
		home: setup.home,
		clock: createFakeClock(),
	});
	for (const question of [/"events"[^\n]*\[push\] /, /"prompt", several lines [^\n]*\] /]) {
		// oxlint-disable-next-line no-await-in-loop -- one question after the other
		await askedFor(terminal, question);
		if (question.source.includes('events')) {
			// oxlint-disable-next-line no-await-in-loop
			await terminal.type('push, pull_request');
		}
	}

	for (const line of ['Say:', '  - {name}', '']) {
		// oxlint-disable-next-line no-await-in-loop -- one line after the other
		await terminal.type(line);
		// oxlint-disable-next-line no-await-in-loop
		await terminal.waitFor('| ');
	}

	await terminal.type('.');
	await terminal.waitFor(/\] $/);
	await terminal.type('done');
	await terminal.waitFor('[y/N] ');
	expect(terminal.transcript()).toContain('+      "pull_request"');
	await terminal.type('y');
	expect(await terminal.exited).toBe(0);
	expect(await setup.entry()).toMatchObject({
		events: ['push', 'pull_request'],
		prompt: 'Say:\n  - {name}\n',
		secret: hookSecret,
	});
	expect(terminal.written()).not.toContain(hookSecret);
});

test('Ctrl-C in the questions exits 130 and changes nothing', async () => {
	await using setup = await open();
	const terminal = openTerminal(['webhook', 'edit', 'gh'], {
		home: setup.home,
		clock: createFakeClock(),
	});
	await terminal.waitFor(/\] $/);
	terminal.send('\u0003');
	expect(await terminal.exited).toBe(130);
	expect(terminal.transcript()).toContain('Left as it was');
});

/** Keeps what every field has until `question` is asked. */
async function askedFor(terminal: ReturnType<typeof openTerminal>, question: RegExp) {
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- one field after the other
		await terminal.waitFor(/\[[^\]\n]*\] $/);
		if (question.test(terminal.transcript().slice(-200))) {
			return;
		}

		// oxlint-disable-next-line no-await-in-loop
		await terminal.type('');
	}
}
