// @module-tag slow
import {readFile, stat} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {parse} from 'yaml';
import {openPty} from '../helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../helpers/svc.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {openService} from '../platforms/service.ts';

const [node, script] = svcCommand;

/** `svc gateway setup` on a terminal; `answer` types one line once a question begins so, `count` times on the screen. `config`: what `config.yaml` says already. */
async function open(
	env: Readonly<Record<string, string>> = {},
	{args = [], config}: {readonly args?: readonly string[]; readonly config?: string} = {},
) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(
		await temporaryHome(config === undefined ? {} : {'new/config.yaml': config}),
	);
	const pty = stack.use(
		openPty(node, [script, 'gateway', 'setup', ...args], {
			columns: 100,
			rows: 120,
			env: svcEnvironment({home: home.file('new'), env}),
		}),
	);
	const seen = async (question: string, count = 1) =>
		pty.waitFor(lines => lines.filter(line => line.startsWith(question)).length === count);
	const answer = async (question: string, text: string, count = 1) => {
		await seen(question, count);
		pty.write(`${text}\r`);
	};
	return {
		pty,
		seen,
		answer,
		config: home.file('new/config.yaml'),
		home: home.file('new'),
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

test('"svc gateway setup" asks for the fields of the interface: each bad answer says why and is asked again, a secret that is typed is not echoed, and the first key is printed', async () => {
	await using setup = await open({API_ENABLED: 'true'});
	const {pty, answer} = setup;
	await answer('"receive"', 'perhaps');
	await answer('"receive"', '', 2);
	await answer('"host"', 'y');
	await answer('"host"', '', 2);
	await answer('"port"', 'a port');
	await answer('"port"', '70000', 2);
	await answer('"port"', '8700', 3);
	await answer('"secret"', 'type');
	// One that is chosen has to be typed: all is asked again, with what was answered.
	await answer('"typed secret"', '');
	await answer('"name"', '');
	await pty.waitForText('Cannot be written: no secret is typed');
	await answer('"receive"', 'go typed', 3);
	await answer('"typed secret"', 'xyzzy-of-the-terminal', 2);
	await answer('"name"', 'pulls', 2);
	await answer('"events"', 'back');
	await answer('"name"', '', 3);
	await answer('"events"', 'pull_request', 2);
	// A character that turns the direction of text is shown, the cursor knows its width, and the text keeps it.
	await answer('"prompt"', 'Read \u202Exy\u001B[D\u001B[Dz');
	await answer('| (. ends it)', '.');
	await answer('Write this to', 'y');

	expect((await pty.exited).exitCode).toBe(0);
	const screen = pty.lines().join('\n');
	expect(screen).toContain('Not taken: "receive" is yes or no');
	expect(screen).toContain('Not taken: "host" is an address of this machine');
	expect(screen).toContain('Not taken: "port" is no number');
	expect(screen).toContain('Not taken: "port" at most 65535');
	expect(pty.written()).not.toContain('xyzzy');
	expect(pty.written()).not.toContain('\u202E');
	expect(screen).toContain('several lines [] Read \\u{202e}zxy\n');
	const config = await readFile(setup.config, 'utf8');
	expect(config).toMatch(/enabled: true\n(?:.*\n)*\s+host: 127\.0\.0\.1\n(?:.*\n)*\s+port: 8700\n/);
	expect(config).toMatch(/^\s+secret: xyzzy-of-the-terminal$/m);
	expect(parse(config)).toHaveProperty('platforms.webhook.routes.pulls.prompt', 'Read \u202Ezxy');
	expect(config).toMatch(/pulls:\n\s+events:\s+- pull_request\n/);
	expect(pty.lines().filter(line => /^svc_live_[0-9A-Za-z]{36}$/.test(line))).toHaveLength(1);
});

test.for([
	['Ctrl-C', ['type', '\u0003'], '"typed secret"', 130],
	['the end of the input', ['type', '\u0004'], '"typed secret"', 1],
	['"cancel"', ['type', 'cancel\r'], '"typed secret"', 1],
	['no yes after the difference', ['done', '\r'], 'Write this to', 1],
] as const)('%s leaves everything untouched', async ([, [word, keys], question, code]) => {
	await using setup = await open();
	const {pty, answer, seen} = setup;
	await answer('"receive"', '');
	await answer('"host"', '');
	await answer('"port"', '8700');
	await answer('"secret"', word);
	await seen(question);
	pty.write(keys);

	expect((await pty.exited).exitCode).toBe(code);
	expect(pty.lines().join('\n')).toContain('Nothing was written');
	await expect(stat(setup.home)).rejects.toThrow('ENOENT');
});

test('a secret that is made is written, and shown once', async () => {
	await using setup = await open();
	const {pty, answer} = setup;
	await answer('"receive"', 'done');
	await answer('Write this to', 'y');
	expect((await pty.exited).exitCode).toBe(0);
	const secrets = pty
		.lines()
		.flatMap(line => /^secret {2}([\w-]{43}) {3}\(shown once\)$/.exec(line)?.[1] ?? []);
	expect(secrets).toHaveLength(1);
	expect(await readFile(setup.config, 'utf8')).toContain(`secret: ${secrets[0]}\n`);
});

test('"svc gateway setup telegram" says where the token comes from, asks for it unseen, and sends a test message', async () => {
	await using service = await openService(() => ({
		status: 200,
		json: {ok: true, result: {message_id: 881}},
	}));
	await using setup = await open(
		{},
		{
			args: ['telegram'],
			config: `# mine\nplatforms:\n  telegram: {api_base: "${service.url}"}\n`,
		},
	);
	const {pty, answer} = setup;
	await pty.waitForText('Write /newbot to @BotFather');
	await answer('"bot_token"', '');
	await answer('"home_channel"', '-1001');
	// What is needed is asked again.
	await answer('"bot_token"', '123:a-token-of-a-bot-0123', 3);
	await answer('"home_channel"', '', 2);
	await pty.waitForText('Write this to');
	expect(pty.lines().join('\n')).not.toContain('a-token-of-a-bot');
	pty.write('y\r');
	await pty.waitForText('Send a test message');
	pty.write('y\r');
	await pty.waitForText('Delivered: telegram -1001 (message 881)');
	expect(parse(await readFile(setup.config, 'utf8'))).toEqual({
		platforms: {
			telegram: {
				api_base: service.url,
				enabled: true,
				home_channel: '-1001',
				bot_token: '123:a-token-of-a-bot-0123',
			},
		},
	});
	expect(service.faults).toEqual([]);
});
