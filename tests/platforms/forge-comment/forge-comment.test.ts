// @module-tag slow
import {on, once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import type {AddressInfo, Socket} from 'node:net';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {
	createFixture,
	failureOf,
	installProgram,
	makeMessage,
} from '../../delivery/delivery-fixture.ts';

const target = {repo: 'acme/api', pr_number: '7'};

/** A client that writes down how it was called. */
const recorder = `
const {readFileSync, writeFileSync} = require('node:fs');
const {join} = require('node:path');
const body = readFileSync(0, 'utf8');
writeFileSync(join(__dirname, 'call.json'), JSON.stringify({args: process.argv.slice(2), env: process.env, cwd: process.cwd(), body}));
console.log('https://forge.example/acme/api/pull/7#issuecomment-1');
`;

type Call = {args: string[]; env: Record<string, string>; cwd: string; body: string};

const callOf = async (folder: string) =>
	JSON.parse(await readFile(join(folder, 'call.json'), 'utf8')) as Call;

/** A server that children report to: their lives are as long as their connections. */
async function createRollCall() {
	const sockets: Socket[] = [];
	const server = createServer();
	// Keeps those that report before anybody asks.
	const reports = on(server, 'connection');
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		/** Waits for one more process to report. */
		async next(): Promise<Socket> {
			const {value} = (await reports.next()) as {value: [Socket]};
			const [socket] = value;
			socket.on('error', () => {}).resume();
			sockets.push(socket);
			return socket;
		},
		[Symbol.asyncDispose]: async () => {
			for (const socket of sockets) {
				socket.destroy();
			}

			server.close();
			await once(server, 'close');
		},
	};
}

const gone = async (socket: Socket) => socket.closed || once(socket, 'close');

/** Ignores SIGTERM, and so does its child; both report and stay. */
const stubborn = (port: number) => `
process.on('SIGTERM', () => {});
const {spawn} = require('node:child_process');
const stay = "process.on('SIGTERM', () => {}); require('node:net').connect(${port}, '127.0.0.1').resume(); setInterval(() => {}, 1e6);";
spawn(process.execPath, ['-e', stay], {stdio: 'inherit'});
require('node:net').connect(${port}, '127.0.0.1').resume();
setInterval(() => {}, 1e6);
`;

describe('"Posts the response as a pull-request/issue comment through `<forge_cli>`"', () => {
	test('the text goes through stdin, everything else is an argument of its own', async () => {
		await using gh = await installProgram('gh', recorder);
		await using fixture = createFixture({environment: {PATH: gh.path, HOME: '/home/me'}});
		const text = '-- $(touch /tmp/x) `id`; "quotes"\nsecond line\n';

		const {summary} = await fixture.deliver(makeMessage('forge_comment', target, {text}));

		expect(summary).toBe('comment on acme/api#7');
		const {args, body, cwd} = await callOf(gh.folder);
		expect(args).toEqual(['issue', 'comment', '7', '--repo', 'acme/api', '--body-file', '-']);
		expect(body).toBe(text);
		expect(cwd).toBe('/');
	});

	test('`forge.cli` may name another program', async () => {
		await using client = await installProgram('forge', recorder);
		await using fixture = createFixture({
			cli: join(client.folder, 'forge'),
			environment: {PATH: '/usr/bin:/bin'},
		});

		await fixture.deliver(makeMessage('forge_comment', {...target, pr_number: 7}));

		expect((await callOf(client.folder)).args).toContain('7');
	});

	test('"`.env` never leaks into child processes", but for the tokens and the host of the forge, proxies and certificates', async () => {
		await using gh = await installProgram('gh', recorder);
		await using fixture = createFixture({
			environment: {
				PATH: gh.path,
				HOME: '/home/me',
				XDG_CONFIG_HOME: '/home/me/.config',
				AWS_SECRET_ACCESS_KEY: 'process-secret',
				NODE_OPTIONS: '--no-warnings',
				GITHUB_TOKEN: 'from-process',
				SSL_CERT_FILE: '/process.pem',
				NODE_EXTRA_CA_CERTS: '/dev/null',
			},
			dotEnv: {
				OPENAI_API_KEY: 'env-secret',
				GH_TOKEN: 'from-env-file',
				PATH_EXTRA: 'x',
				HOME: '/elsewhere',
				SSL_CERT_FILE: '/env-file.pem',
				https_proxy: 'http://env-file:1',
			},
		});

		await fixture.deliver(makeMessage('forge_comment', target));

		const {env} = await callOf(gh.folder);
		expect(env).toEqual({
			PATH: gh.path,
			HOME: '/home/me',
			XDG_CONFIG_HOME: '/home/me/.config',
			GITHUB_TOKEN: 'from-process',
			GH_TOKEN: 'from-env-file',
			SSL_CERT_FILE: '/env-file.pem',
			NODE_EXTRA_CA_CERTS: '/dev/null',
			https_proxy: 'http://env-file:1',
			GH_PROMPT_DISABLED: '1',
			GH_NO_UPDATE_NOTIFIER: '1',
			NO_COLOR: '1',
		});
	});

	test("the token is that of the profile whose answer it is, never another profile's", async () => {
		await using gh = await installProgram('gh', recorder);
		await using fixture = createFixture({
			environment: {PATH: gh.path},
			dotEnv: {GH_TOKEN: 'of-home'},
			dotEnvs: {work: {GH_TOKEN: 'of-work'}, play: {}},
		});
		for (const [profile, token] of [
			['default', 'of-home'],
			['work', 'of-work'],
			['play', undefined],
		] as const) {
			await fixture.deliver(makeMessage('forge_comment', target, {profile}));
			expect((await callOf(gh.folder)).env['GH_TOKEN']).toBe(token);
		}
	});

	test('"untrusted text can mention nobody", and our own secrets do not leave', async () => {
		await using gh = await installProgram('gh', recorder);
		await using fixture = createFixture({
			environment: {PATH: gh.path},
			secretValues: ['hunter2-hunter2'],
		});

		await fixture.deliver(
			makeMessage('forge_comment', target, {
				text: 'cc @alice and `@acme/team`, the key is hunter2-hunter2, write to ops@example.com',
			}),
		);

		expect((await callOf(gh.folder)).body).toBe(
			'cc ＠alice and `@acme/team`, the key is [redacted], write to ops@example.com',
		);
	});

	test('a text above 65,536 characters is cut and says so', async () => {
		await using gh = await installProgram('gh', recorder);
		await using fixture = createFixture({environment: {PATH: gh.path}});

		await fixture.deliver(makeMessage('forge_comment', target, {text: '😀'.repeat(50_000)}));

		const {body} = await callOf(gh.folder);
		expect(body.length).toBeLessThanOrEqual(65_536);
		expect(body.length).toBeGreaterThan(65_000);
		expect(body.isWellFormed()).toBe(true);
		expect(body).toMatch(/\[cut: the whole text has 100000 characters\]$/);
	});
});

describe('"Requires `deliver_extra.repo` and `deliver_extra.pr_number`"', () => {
	test.for([
		[{}, 'deliver_extra.repo is missing'],
		[{repo: 'acme/api'}, 'deliver_extra.pr_number is missing'],
		[{repo: 'acme/api', pr_number: ''}, 'deliver_extra.pr_number is missing'],
		[{repo: 'acme/api', pr_number: null}, 'deliver_extra.pr_number is missing'],
		[
			{repo: 'acme/api', pr_number: '{number}'},
			'deliver_extra.pr_number has "{number}", which the event did not fill in',
		],
		[
			{repo: '{repository.full_name}', pr_number: '7'},
			'deliver_extra.repo has "{repository.full_name}", which the event did not fill in',
		],
	] as const)('%j: %s', async ([extra, problem]) => {
		await using fixture = createFixture();

		expect(fixture.deliverer.problemWith({kind: 'forge_comment', extra})).toBe(problem);
		expect(await failureOf(fixture.deliver(makeMessage('forge_comment', extra)))).toEqual({
			code: 'target_incomplete',
			message: `Cannot deliver: ${problem}`,
			retryable: false,
		});
	});

	test.for([
		'acme',
		'acme/api/extra/parts',
		'-R/api',
		'--repo=x/api',
		'acme/-x',
		'acme/..',
		'../api',
		'acme/api?x=1',
		'acme /api',
		'acme/api\n--web',
		'https://forge.example/acme/api',
		// A payload must not choose the host that gets the client's token.
		'forge.example/acme/api',
		'acme/äpi',
		'$(id)/api',
	])('repo %j is refused', async repo => {
		await using fixture = createFixture();

		const {code, message} = await failureOf(
			fixture.deliver(makeMessage('forge_comment', {repo, pr_number: 1})),
		);

		expect(code).toBe('target_invalid');
		expect(message).toMatch(
			/^Cannot deliver: deliver_extra\.repo is ".*" and must be "owner\/name"$/,
		);
	});

	test.for(['0', '-1', '1.5', '7 --web', '2147483648', '0x10', 'https://forge.example/1', '１'])(
		'pr_number %j is refused',
		async number => {
			await using fixture = createFixture();

			const {code} = await failureOf(
				fixture.deliver(makeMessage('forge_comment', {repo: 'acme/api', pr_number: number})),
			);

			expect(code).toBe('target_invalid');
		},
	);

	test.for(['acme/api', 'a_b/c.d-e', 'acme/.github'])('repo %j is accepted', async repo => {
		await using fixture = createFixture();

		expect(
			fixture.deliverer.problemWith({
				kind: 'forge_comment',
				extra: {repo, pr_number: ' 2147483647 '},
			}),
		).toBeUndefined();
	});
});

describe('failures', () => {
	test('a client that is not installed is named, with what to do', async () => {
		await using fixture = createFixture({environment: {PATH: '/nowhere'}});

		expect(await failureOf(fixture.deliver(makeMessage('forge_comment', target)))).toEqual({
			code: 'forge_client_missing',
			message: 'Cannot comment on "acme/api#7": "gh" is not installed; install it or set forge.cli',
			retryable: false,
		});
	});

	test('a client that cannot be executed is another failure', async () => {
		await using fixture = createFixture({cli: '/etc/passwd'});

		const {code} = await failureOf(fixture.deliver(makeMessage('forge_comment', target)));

		expect(code).toBe('forge_client_unusable');
	});

	test.for([
		[
			4,
			'To get started with GitHub CLI, please run:  gh auth login',
			'forge_not_authenticated',
			false,
		],
		[
			1,
			'HTTP 401: Bad credentials (https://api.github.com/graphql)',
			'forge_not_authenticated',
			false,
		],
		[
			1,
			'GraphQL: Could not resolve to an issue or pull request with the number of 7.',
			'forge_target_not_found',
			false,
		],
		[
			1,
			"GraphQL: Could not resolve to a Repository with the name 'acme/api'.",
			'forge_target_not_found',
			false,
		],
		[1, 'HTTP 403: Resource not accessible by integration', 'forge_forbidden', false],
		[1, 'HTTP 403: You have exceeded a secondary rate limit', 'forge_rate_limited', true],
		[1, 'HTTP 422: Validation Failed', 'forge_rejected', false],
		[1, 'HTTP 502: Bad gateway', 'forge_failed', true],
		[1, 'error connecting to api.github.com', 'forge_failed', true],
		[3, '', 'forge_failed', true],
	] as const)('exit %i and %j are %s', async ([exit, words, code, retryable]) => {
		await using gh = await installProgram(
			'gh',
			`process.stderr.write(${JSON.stringify(words)}); process.exitCode = ${exit};`,
		);
		await using fixture = createFixture({environment: {PATH: gh.path}});

		expect(await failureOf(fixture.deliver(makeMessage('forge_comment', target)))).toMatchObject({
			code,
			retryable,
		});
	});

	test('what the client says is bounded, cleaned and redacted', async () => {
		await using gh = await installProgram(
			'gh',
			`process.stderr.write('\\u001b]52;c;ZXZpbA==\\u0007 token ghp_0123456789abcdefABCDEF hunter2-hunter2 ' + 'x'.repeat(1e6), () => process.exit(1));`,
		);
		await using fixture = createFixture({
			environment: {PATH: gh.path},
			secretValues: ['hunter2-hunter2'],
		});

		const {message} = await failureOf(fixture.deliver(makeMessage('forge_comment', target)));

		expect(message).toContain('␛]52;c;ZXZpbA==␇ token [redacted] [redacted] xxx');
		expect(message.length).toBeLessThan(500);
	});

	test('a client that prints a lot is drained, not stopped', async () => {
		await using gh = await installProgram('gh', `process.stdout.write('x'.repeat(5e6));`);
		await using fixture = createFixture({environment: {PATH: gh.path}});

		await expect(fixture.deliver(makeMessage('forge_comment', target))).resolves.toEqual({
			summary: 'comment on acme/api#7',
		});
	});

	test('one that prints without end is ended long before its time is over', async () => {
		await using gh = await installProgram(
			'gh',
			`require('node:child_process').spawn('yes', {stdio: ['ignore', 2, 2]});`,
		);
		await using fixture = createFixture({environment: {PATH: gh.path}});

		expect(await failureOf(fixture.deliver(makeMessage('forge_comment', target)))).toEqual({
			code: 'delivery_aborted',
			message: 'Cannot comment on "acme/api#7": "gh" was ended; it may have commented',
			retryable: true,
		});
	});

	test('a client that never reads a long text fails as it says', async () => {
		await using gh = await installProgram(
			'gh',
			`process.stdin.destroy(); process.stderr.write('no', () => process.exit(1));`,
		);
		await using fixture = createFixture({environment: {PATH: gh.path}});

		const {code, message} = await failureOf(
			fixture.deliver(makeMessage('forge_comment', target, {text: 'x'.repeat(65_000)})),
		);

		expect({code, message}).toEqual({
			code: 'forge_failed',
			message: 'Cannot comment on "acme/api#7": "gh" failed (exit 1): no',
		});
	});
});

describe('nothing survives its delivery', () => {
	test('after 30 s the client and its children are ended, also those that ignore SIGTERM', async () => {
		await using rollCall = await createRollCall();
		await using gh = await installProgram('gh', stubborn(rollCall.port));
		await using fixture = createFixture({environment: {PATH: gh.path}});
		const first = rollCall.next();
		const failure = failureOf(fixture.deliver(makeMessage('forge_comment', target)));
		const one = await first;
		const other = await rollCall.next();

		fixture.clock.advance(30_000);
		fixture.clock.advance(2000);
		await Promise.all([gone(one), gone(other)]);

		expect(await failure).toEqual({
			code: 'delivery_timeout',
			message:
				'Cannot comment on "acme/api#7": "gh" was not done within 30 s and was ended; it may have commented',
			retryable: true,
		});
	});

	test('an abort ends them too', async () => {
		await using rollCall = await createRollCall();
		await using gh = await installProgram('gh', stubborn(rollCall.port));
		await using fixture = createFixture({environment: {PATH: gh.path}});
		const controller = new AbortController();
		const first = rollCall.next();
		const failure = failureOf(
			fixture.deliver(makeMessage('forge_comment', target), controller.signal),
		);
		const one = await first;
		const other = await rollCall.next();

		controller.abort();
		fixture.clock.advance(2000);
		await Promise.all([gone(one), gone(other)]);

		expect((await failure).code).toBe('delivery_aborted');
	});

	test('so does the end of the deliverer, at once', async () => {
		await using rollCall = await createRollCall();
		await using gh = await installProgram('gh', stubborn(rollCall.port));
		const fixture = createFixture({environment: {PATH: gh.path}});
		const first = rollCall.next();
		const failure = failureOf(fixture.deliver(makeMessage('forge_comment', target)));
		const one = await first;
		const other = await rollCall.next();

		await fixture[Symbol.asyncDispose]();
		await Promise.all([gone(one), gone(other)]);

		expect((await failure).code).toBe('delivery_aborted');
		expect((await failureOf(fixture.deliver(makeMessage('log')))).code).toBe('delivery_aborted');
	});

	test('what a client leaves behind when it is done is ended with it', async () => {
		await using rollCall = await createRollCall();
		await using gh = await installProgram(
			'gh',
			`
const {spawn} = require('node:child_process');
const stay = "const socket = require('node:net').connect(${rollCall.port}, '127.0.0.1', () => process.send('here')); socket.resume(); setInterval(() => {}, 1e6);";
spawn(process.execPath, ['-e', stay], {stdio: ['ignore', 'inherit', 'inherit', 'ipc']}).once('message', () => process.exit(0));
`,
		);
		await using fixture = createFixture({environment: {PATH: gh.path}});
		const reported = rollCall.next();

		const {summary} = await fixture.deliver(makeMessage('forge_comment', target));
		await gone(await reported);

		expect(summary).toBe('comment on acme/api#7');
	});
});
