import {once} from 'node:events';
import {createServer} from 'node:net';
import type {AddressInfo, Socket} from 'node:net';
import postalMime from 'postal-mime';
import {SMTPServer} from 'smtp-server';
import type {SMTPServerOptions} from 'smtp-server';
import {describe, expect, test} from 'vitest';
import {email, type EmailSettings} from '../../../source/platforms/email/descriptor.ts';
import {createFixture, failureOf, makeMessage} from '../../delivery/delivery-fixture.ts';

type Mail = {readonly from: string; readonly to: readonly string[]; readonly raw: string};

/** A real mail server that keeps what it gets. */
async function createMailServer(options: SMTPServerOptions = {}) {
	const mails: Mail[] = [];
	const server = new SMTPServer({
		authOptional: true,
		logger: false,
		onData(stream, {envelope}, callback) {
			const chunks: Buffer[] = [];
			stream.on('data', (chunk: Buffer) => chunks.push(chunk));
			stream.on('end', () => {
				mails.push({
					from: envelope.mailFrom ? envelope.mailFrom.address : '',
					to: envelope.rcptTo.map(({address}) => address),
					raw: Buffer.concat(chunks).toString('latin1'),
				});
				callback();
			});
		},
		...options,
	});
	server.on('error', () => {});
	server.listen(0, '127.0.0.1');
	await once(server.server, 'listening');
	return {
		mails,
		config: emailConfig((server.server.address() as AddressInfo).port),
		[Symbol.asyncDispose]: async () =>
			new Promise<void>(resolve => {
				server.close(resolve);
			}),
	};
}

const emailConfig = (port: number, overrides: Partial<EmailSettings> = {}): EmailSettings => ({
	...(email.settings.parse({
		enabled: true,
		from: 'x@y.example',
		smtp: {host: 'x'},
	}) as EmailSettings),
	from: 'Gateway <svc@example.org>',
	homeChannel: 'home@example.com',
	smtp: {host: '127.0.0.1', port, secure: false},
	...overrides,
});

/** A server that accepts connections, says `greeting`, and no more. */
async function createMute(greeting = '') {
	const sockets = new Set<Socket>();
	const server = createServer(socket => {
		sockets.add(socket);
		socket.on('error', () => {}).resume();
		socket.write(greeting);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		server,
		port: (server.address() as AddressInfo).port,
		[Symbol.asyncDispose]: async () => {
			for (const socket of sockets) {
				socket.destroy();
			}

			server.close();
			await once(server, 'close');
		},
	};
}

type Step = 'EHLO' | 'RCPT' | 'DATA' | 'text';

/** A server that takes a mail as far as one step, which it answers with `reply`; without one, it hangs up (`breaks`) or says no more (`hangs`). */
async function createHalting(at: Step, reply: string) {
	const {promise: reached, resolve} = Promise.withResolvers<void>();
	const steps: string[] = [];
	const server = createServer(socket => {
		let isText = false;
		socket.on('error', () => {}).write('220 hello\r\n');
		socket.on('data', (chunk: Buffer) => {
			const step = isText ? 'text' : chunk.toString().slice(0, 4);
			steps.push(step);
			isText = step === 'DATA';
			if (step !== at) {
				socket.write(isText ? '354 go on\r\n' : '250 well\r\n');
			} else if (reply === 'breaks') {
				socket.destroy();
			} else if (reply !== 'hangs') {
				socket.write(`${reply}\r\n`);
			}

			if (step === at) {
				resolve();
			}
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		/** What it was told, in turn. */
		steps,
		reached,
		config: emailConfig((server.address() as AddressInfo).port),
		[Symbol.asyncDispose]: async () =>
			new Promise<void>(done => {
				server.close(() => {
					done();
				});
			}),
	};
}

/** A receipt without the Message-ID. */
const withoutId = (summary: string): string =>
	summary.replace(/ \(message <svc\.[0-9a-f]{25}@example\.org>\)/, '');

const parse = async ({raw}: Mail) => postalMime.parse(Buffer.from(raw, 'latin1'));

describe('"email" delivers over SMTP', () => {
	test('to `deliver_extra.chat_id`, as plain text', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});

		const {summary} = await fixture.deliver(
			makeMessage('email', {chat_id: 'ops@example.com'}, {text: 'Grüße 😀\n.\nlast line'}),
		);

		expect(summary).toMatch(
			/^email to ops@example\.com \(message <svc\.[0-9a-f]{25}@example\.org>\)$/,
		);
		expect(server.mails).toHaveLength(1);
		const [mail] = server.mails;
		expect(mail).toMatchObject({from: 'svc@example.org', to: ['ops@example.com']});
		const parsed = await parse(mail as Mail);
		expect(parsed.from).toMatchObject({name: 'Gateway', address: 'svc@example.org'});
		expect(parsed.to).toMatchObject([{address: 'ops@example.com'}]);
		expect(parsed.subject).toBe('[svc] gh-review: pull_request');
		expect(parsed.text?.trimEnd()).toBe('Grüße 😀\n.\nlast line');
		expect(parsed.html).toBeUndefined();
		expect(parsed.attachments).toEqual([]);
		expect(parsed.date).toBe('2023-11-14T22:13:20.000Z');
		expect(parsed.headers).toContainEqual(
			expect.objectContaining({key: 'auto-submitted', value: 'auto-generated'}),
		);
	});

	test('"when omitted the platform\'s configured home channel is used"', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});

		await fixture.deliver(makeMessage('email'));

		expect(server.mails[0]?.to).toEqual(['home@example.com']);
	});

	test('a repeated try carries the same Message-ID, another answer another one', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});

		await fixture.deliver(makeMessage('email'));
		await fixture.deliver(makeMessage('email'));
		await fixture.deliver(makeMessage('email', {}, {runId: 8}));

		const ids = await Promise.all(server.mails.map(async mail => (await parse(mail)).messageId));
		expect(ids[0]).toMatch(/^<svc\.[0-9a-f]{25}@example\.org>$/);
		expect(ids[1]).toBe(ids[0]);
		expect(ids[2]).not.toBe(ids[0]);
	});

	test('with a login where one is configured', async () => {
		const logins: string[] = [];
		await using server = await createMailServer({
			authOptional: false,
			onAuth({username, password}, _session, callback) {
				logins.push(`${username}:${password}`);
				callback(null, {user: username});
			},
		});
		await using fixture = createFixture({
			email: {
				...server.config,
				smtp: {...server.config.smtp, username: 'me', password: 'hunter2-hunter2'},
			},
		});

		await fixture.deliver(makeMessage('email'));

		expect(logins).toEqual(['me:hunter2-hunter2']);
		expect(server.mails).toHaveLength(1);
	});

	test('over TLS from the first byte', async () => {
		await using server = await createMailServer({secure: true});
		await using fixture = createFixture({
			email: {...server.config, smtp: {...server.config.smtp, secure: true}},
		});

		await fixture.deliver(makeMessage('email'));

		expect(server.mails).toHaveLength(1);
	});

	test('Markdown is rendered as text, and `format: plain` sends it as it is', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});
		const text = '# Done\n\n**two** of [three](https://example.org/3)\n\n* `a`\n* b';

		await fixture.deliver(makeMessage('email', {}, {text}));
		await fixture.deliver(makeMessage('email', {format: 'plain'}, {text}));

		const mails = await Promise.all(server.mails.map(parse));
		expect(mails.map(mail => mail.text?.trimEnd())).toEqual([
			'Done\n\ntwo of three (https://example.org/3)\n\n- a\n- b',
			text,
		]);
	});

	test('a long text is one mail', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: {...server.config, maxParts: 20}});
		const lines = Array.from({length: 60_000}, (_, index) => `line ${index}`);

		await fixture.deliver(makeMessage('email', {}, {text: lines.join('\n')}));

		expect(server.mails).toHaveLength(1);
		const text = (await parse(server.mails[0] as Mail)).text ?? '';
		expect(text).toContain('line 0\nline 1\n');
		expect(text).toMatch(/\[cut: the whole text has \d+ characters\]\s*$/);
	});

	test.for([
		[{thread_id: '<a@x.example>'}, '<a@x.example>', '<a@x.example>'],
		[{message_thread_id: 'a@x.example'}, '<a@x.example>', '<a@x.example>'],
		[{reply_to: '<b+$1@[10.0.0.1]>'}, '<b+$1@[10.0.0.1]>', '<b+$1@[10.0.0.1]>'],
		[{thread_id: '<a@x>', reply_to: 'b@x'}, '<b@x>', '<a@x> <b@x>'],
		[{thread_id: null, reply_to: null, sticky: false}, undefined, undefined],
	] as const)('%j answers a mail: In-Reply-To %s', async ([extra, inReplyTo, references]) => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});

		const {summary} = await fixture.deliver(makeMessage('email', extra));

		expect(await parse(server.mails[0] as Mail)).toMatchObject({
			...(inReplyTo !== undefined && {inReplyTo, references}),
		});
		expect(server.mails[0]?.raw.includes('In-Reply-To')).toBe(inReplyTo !== undefined);
		expect(withoutId(summary)).toBe('email to home@example.com');
	});

	test('to each address of a list; what mail has nothing for is named', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});
		const extra = {chat_id: ['a@example.com', 'B <b@example.com>; a@example.com'], sticky: true};

		const {summary} = await fixture.deliver(makeMessage('email', extra));

		expect(withoutId(summary)).toBe('email to a@example.com, b@example.com; ignored: sticky');
		expect(server.mails[0]?.to).toEqual(['a@example.com', 'b@example.com']);
	});

	test('to the recipients that the server takes, when it refuses some', async () => {
		await using server = await createMailServer({
			onRcptTo({address}, _session, callback) {
				callback(address.startsWith('bad') ? new Error('no such user') : null);
			},
		});
		await using fixture = createFixture({email: server.config});

		const {summary} = await fixture.deliver(
			makeMessage('email', {chat_id: 'good@example.com, bad@example.com'}),
		);

		expect(withoutId(summary)).toBe(
			'email to good@example.com, bad@example.com, 1 refused by the server',
		);
		expect(server.mails[0]?.to).toEqual(['good@example.com']);
	});
});

describe('hostile values', () => {
	test('no subject adds a header', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});
		const subject = 'Hello\r\nBcc: victim@example.com\r\n\r\nbody\u2028x\u202eevil\u0000\u200b end';

		await fixture.deliver(makeMessage('email', {subject}));
		await fixture.deliver(
			makeMessage('email', {}, {route: 'a\r\nBcc: victim@example.com', event: '\u202ex'}),
		);

		const [first, second] = await Promise.all(server.mails.map(parse));
		expect(server.mails.map(({to}) => to)).toEqual([['home@example.com'], ['home@example.com']]);
		expect(first?.subject).toBe('Hello Bcc: victim@example.com body x evil end');
		expect(second?.subject).toBe('[svc] a Bcc: victim@example.com: x');
		expect(first?.bcc ?? second?.bcc).toBeUndefined();
	});

	test('an encoded word in a subject hides nothing', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});
		const subject = 'PR: =?utf-8?b?bGluZTENCkJjYzogeOKArhtbMko=?= =?utf-8?q?=E2=80=AE?=';

		await fixture.deliver(makeMessage('email', {subject}));

		const [mail] = await Promise.all(server.mails.map(parse));
		expect(mail?.subject).toBe(subject.replaceAll('=?', '= ?'));
	});

	test("the subject of a job's answer names the job", async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});
		const job = {id: 'job_abcd1234', name: 'nightly'};
		await fixture.deliver(makeMessage('email', {}, {route: '-', event: 'schedule', job}));
		const [mail] = await Promise.all(server.mails.map(parse));
		expect(mail?.subject).toBe('[svc] nightly: schedule');
	});

	test('a subject has at most 200 characters', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});

		await fixture.deliver(makeMessage('email', {subject: '😀'.repeat(5000)}));

		expect((await parse(server.mails[0] as Mail)).subject).toBe('😀'.repeat(200));
	});

	test('objects as values read no file and fetch no URL', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});

		await fixture.deliver(makeMessage('email', {subject: {path: '/etc/passwd'}}));

		const parsed = await parse(server.mails[0] as Mail);
		expect(parsed.subject).toBe('[svc] gh-review: pull_request');
		const {code} = await failureOf(
			fixture.deliver(makeMessage('email', {chat_id: {path: '/etc/passwd'}})),
		);
		expect(code).toBe('target_incomplete');
	});

	test('controls and our own secrets are removed from the text', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({
			email: server.config,
			secretValues: ['hunter2-hunter2'],
		});

		await fixture.deliver(
			makeMessage('email', {subject: 'x'}, {text: 'a\u0000b\u001b[31mc\r\nhunter2-hunter2 \ud800'}),
		);

		expect((await parse(server.mails[0] as Mail)).text?.trimEnd()).toBe(
			'ab[31mc\n[redacted] \ufffd',
		);
	});

	test.for([
		'not an address',
		'@example.com',
		'a@',
		'a@b c.example',
		'a@example.com\r\nRCPT TO:<x@example.com>',
		'a@exa..mple.com',
		'"a b"@example.com',
		'<a@example.com',
		'a@example.com>',
		'file:///etc/passwd',
		'ä@example.com',
		'a@-example.com',
	])('chat_id %j is refused', async chatId => {
		await using fixture = createFixture({email: emailConfig(1)});

		expect((await failureOf(fixture.deliver(makeMessage('email', {chat_id: chatId})))).code).toBe(
			'target_invalid',
		);
	});

	test.for(['', 'a', '<a@x', 'a@x>', 'a b@x', '<a@x> <b@x>', 'a@x\r\nBcc: c@x', 'ä@x', 7, {}])(
		'reply_to %j is refused',
		async id => {
			await using fixture = createFixture({email: emailConfig(1)});
			for (const key of ['reply_to', 'thread_id']) {
				expect(fixture.deliverer.problemWith({kind: 'email', extra: {[key]: id}})).toMatch(
					`deliver_extra.${key} `,
				);
			}
		},
	);

	test.for([
		...['', ' ', [], [''], ['', ' ']].map(
			chat_id => [{chat_id}, 'deliver_extra.chat_id is missing'] as const,
		),
		[
			{chat_id: '{sender.email}'},
			'deliver_extra.chat_id has "{sender.email}", which the event did not fill in',
		],
		[{chat_id: 'x'.repeat(6000)}, 'deliver_extra.chat_id is too long'],
		[
			{chat_id: Array.from({length: 11}, (_, index) => `a${index}@example.com`)},
			'deliver_extra.chat_id names more than 10 recipients',
		],
		[
			{chat_id: Array.from({length: 11}, (_, index) => `a${index}@example.com`).join(';')},
			'deliver_extra.chat_id names more than 10 recipients',
		],
	] as const)('%j: %s', async ([extra, problem]) => {
		await using fixture = createFixture({email: emailConfig(1)});

		expect(fixture.deliverer.problemWith({kind: 'email', extra})).toBe(problem);
	});

	test('without a chat and a home channel there is nobody to write to', async () => {
		const {homeChannel: _, ...homeless} = emailConfig(1);
		await using fixture = createFixture({email: homeless});

		expect(fixture.deliverer.problemWith({kind: 'email', extra: {}})).toBe(
			'deliver_extra.chat_id is missing and platforms.email.home_channel is not set',
		);
	});

	test('a domain with letters beyond ASCII is written in ASCII', async () => {
		await using server = await createMailServer();
		await using fixture = createFixture({email: server.config});

		const {summary} = await fixture.deliver(
			makeMessage('email', {chat_id: 'Ops <ops@bücher.example>'}),
		);

		expect(withoutId(summary)).toBe('email to ops@xn--bcher-kva.example');
		expect(server.mails).toHaveLength(1);
	});
});

describe('failures', () => {
	const refuse = (status: number, text: string) =>
		Object.assign(new Error(text), {responseCode: status});

	test.for([
		[451, 'try again later', 'smtp_temporary', true],
		[421, 'too busy', 'smtp_temporary', true],
		[550, 'no such user', 'smtp_rejected', false],
		[554, 'spam', 'smtp_rejected', false],
	] as const)('the answer %i is %s', async ([status, words, code, retryable]) => {
		await using server = await createMailServer({
			onRcptTo(_address, _session, callback) {
				callback(refuse(status, words));
			},
		});
		await using fixture = createFixture({email: server.config});

		const failure = await failureOf(fixture.deliver(makeMessage('email')));

		expect(failure).toMatchObject({code, retryable});
		expect(failure.message).toContain(words);
		expect(fixture.platforms).toEqual([]);
	});

	test('a wrong password makes the platform failed, and neither it nor what it was sent as is shown', async () => {
		const password = 'hunter2-hunter2';
		const sent = Buffer.from(`\0me\0${password}`).toString('base64');
		await using server = await createMailServer({
			authOptional: false,
			onAuth(_auth, _session, callback) {
				callback(new Error(`wrong password ${password} ${sent}`));
			},
		});
		const written = {
			enabled: true,
			from: 'svc@example.org',
			home_channel: 'home@example.com',
			smtp: {...server.config.smtp, username: 'me', password},
		};
		const settings = email.settings.parse(written) as EmailSettings;
		await using fixture = createFixture({
			secretValues: [password, ...email.secrets(settings)],
			email: settings,
		});

		const failure = await failureOf(fixture.deliver(makeMessage('email')));

		expect(failure).toMatchObject({code: 'smtp_not_authenticated', retryable: true});
		expect(failure.message).toContain('wrong password [redacted] [redacted]');
		expect(fixture.platforms).toEqual([
			{
				name: 'email',
				state: 'failed',
				reason: failure.message,
				nextTry: fixture.clock.now() + 5000,
			},
		]);
	});

	test('a server that is down is tried again; the platform is shown as failed until it is back', async () => {
		const mute = await createMute();
		await mute[Symbol.asyncDispose]();
		await using server = await createMailServer();
		const settings = {...server.config, smtp: {...server.config.smtp, port: mute.port}};
		await using fixture = createFixture({email: settings});
		expect(fixture.deliverer.platforms()).toEqual([{name: 'email', state: 'connected'}]);

		const failure = await failureOf(fixture.deliver(makeMessage('email')));

		expect(failure).toMatchObject({code: 'smtp_unreachable', retryable: true});
		expect(failure.message).toContain(`Cannot send mail through "127.0.0.1:${mute.port}"`);
		expect(fixture.deliverer.platforms()).toMatchObject([
			{name: 'email', state: 'failed', reason: failure.message},
		]);

		settings.smtp.port = server.config.smtp.port;
		fixture.clock.advance(5000);
		await fixture.deliver(makeMessage('email'));
		expect(fixture.deliverer.platforms()).toEqual([{name: 'email', state: 'connected'}]);
		expect(fixture.platforms.map(({state}) => state)).toEqual(['failed', 'connected']);
	});

	test.for([
		['EHLO', 'breaks', 'smtp_unreachable', true],
		['RCPT', 'breaks', 'smtp_unreachable', true],
		['DATA', 'breaks', 'smtp_unreachable', true],
		['text', 'breaks', 'delivery_uncertain', false],
		['DATA', '451 later', 'smtp_temporary', true],
		['text', '451 later', 'smtp_temporary', true],
		['text', '554 spam', 'smtp_rejected', false],
	] as const)(
		'a server that at %s says %j: %s, tried again %s',
		async ([at, reply, code, retryable]) => {
			await using server = await createHalting(at, reply);
			await using fixture = createFixture({email: server.config});

			const failure = await failureOf(fixture.deliver(makeMessage('email')));

			expect(failure).toMatchObject({code, retryable});
			expect(failure.message.includes('may have been sent')).toBe(code === 'delivery_uncertain');
			expect(server.steps.filter(step => step === at)).toHaveLength(1);
		},
	);

	test.for([
		['DATA', 'the time', 'delivery_timeout', true],
		['text', 'the time', 'delivery_uncertain', false],
		['DATA', 'an abort', 'delivery_aborted', true],
		['text', 'an abort', 'delivery_uncertain', false],
	] as const)('a server silent from %s on, ended by %s: %s', async ([at, by, code, retryable]) => {
		await using server = await createHalting(at, 'hangs');
		await using fixture = createFixture({email: server.config});
		const controller = new AbortController();
		const failure = failureOf(fixture.deliver(makeMessage('email'), controller.signal));
		await server.reached;
		if (by === 'an abort') {
			controller.abort();
		} else {
			fixture.clock.advance(30_000);
		}

		expect(await failure).toMatchObject({code, retryable});
	});

	test('while the sender of an event waits, 5 s are given', async () => {
		await using server = await createHalting('RCPT', 'hangs');
		await using fixture = createFixture({email: server.config});
		const {runId: _, ...direct} = makeMessage('email');
		const failure = failureOf(fixture.deliver(direct));
		await server.reached;
		fixture.clock.advance(5000);

		expect((await failure).code).toBe('delivery_timeout');
	});

	test('what a server says is cleaned and bounded', async () => {
		await using mute = await createMute(`554 \u001b]0;owned\u0007 ${'x'.repeat(3000)}\r\n`);
		await using fixture = createFixture({email: emailConfig(mute.port)});

		const {message} = await failureOf(fixture.deliver(makeMessage('email')));

		expect(message).toContain('␛]0;owned␇');
		expect(message.length).toBeLessThan(500);
	});

	test('a server that never greets is given up after 30 s', async () => {
		await using mute = await createMute();
		await using fixture = createFixture({email: emailConfig(mute.port)});
		const connected = once(mute.server, 'connection');
		const failure = failureOf(fixture.deliver(makeMessage('email')));
		const [socket] = (await connected) as [Socket];
		const closed = once(socket, 'close');

		fixture.clock.advance(30_000);

		expect(await failure).toMatchObject({code: 'delivery_timeout', retryable: true});
		await closed;
	});

	test('an abort and the end of the deliverer hang up', async () => {
		await using mute = await createMute('220 hello\r\n');
		const fixture = createFixture({email: emailConfig(mute.port)});
		const controller = new AbortController();
		const first = once(mute.server, 'connection');
		const aborted = failureOf(fixture.deliver(makeMessage('email'), controller.signal));
		await first;
		controller.abort();
		expect((await aborted).code).toBe('delivery_aborted');

		const second = once(mute.server, 'connection');
		const ended = failureOf(fixture.deliver(makeMessage('email')));
		await second;
		await fixture[Symbol.asyncDispose]();
		expect((await ended).code).toBe('delivery_aborted');
	});

	test('a password is not sent over a network in the clear', async () => {
		await using server = await createMailServer({
			hideSTARTTLS: true,
			disabledCommands: ['STARTTLS'],
			authOptional: false,
			allowInsecureAuth: true,
			onAuth(_auth, _session, callback) {
				callback(null, {user: 'x'});
			},
		});
		await using fixture = createFixture({
			email: {
				...server.config,
				// Another name for this machine, which nobody takes for loopback.
				smtp: {
					...server.config.smtp,
					host: '0.0.0.0',
					username: 'me',
					password: 'hunter2-hunter2',
				},
			},
		});

		expect((await failureOf(fixture.deliver(makeMessage('email')))).code).toBe('smtp_insecure');
		expect(server.mails).toEqual([]);
	});
});

describe('the connect check', () => {
	const examine = async ({deliverer}: ReturnType<typeof createFixture>) =>
		deliverer.examine('email', 'default', new AbortController().signal);

	test('logs in and sends nothing', async () => {
		const logins: string[] = [];
		await using server = await createMailServer({
			onAuth({username}, _session, callback) {
				logins.push(username ?? '');
				callback(null, {user: username});
			},
		});
		const {smtp} = server.config;
		const login = {...smtp, username: 'me', password: 'hunter2-hunter2'};
		await using fixture = createFixture({email: {...server.config, smtp: login}});

		expect(await examine(fixture)).toEqual({
			health: 'ok',
			found: `it takes the credentials: 127.0.0.1:${smtp.port} answers (this machine, logged in)`,
		});
		expect([logins, server.mails]).toEqual([['me'], []]);
	});

	test('a server that does not answer within 10 s is no success', async () => {
		await using mute = await createMute('220 hello\r\n');
		await using fixture = createFixture({email: emailConfig(mute.port)});
		const connected = once(mute.server, 'connection');
		const health = examine(fixture);
		await connected;
		fixture.clock.advance(10_000);

		expect(await health).toMatchObject({
			health: 'failed',
			found: expect.stringContaining('was not done in time'),
		});
	});
});

test.for([
	[{}, '"from", "smtp.host"'],
	[{from: 'a@b.example'}, '"smtp.host"'],
	[{smtp: {host: 'm'}}, '"from"'],
	[{from: 'a@b.example', smtp: {host: 'm'}}, undefined],
] as const)('%j lacks %s', ([written, lacks]) => {
	expect(email.settings.parse({enabled: true, ...written})?.lacks).toBe(lacks);
});
