import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import type {DeliveryError} from '../../source/platforms/delivery-error.ts';
import {email} from '../../source/platforms/email/descriptor.ts';
import {
	mailHeadersOf,
	passesDmarc,
	mailSenderOf,
} from '../../source/platforms/email/mail-headers.ts';
import {replyText, textOfHtml} from '../../source/platforms/email/reply-text.ts';
import {createTemporaryHome, problemsOf} from '../config/temporary-home.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {runSeed} from '../helpers/random.ts';
import {testApprovals} from './approval-contract.ts';
import {openImapServer} from './email/imap-server.ts';
import {liveThrough} from './live-through.ts';
import {createHeard, openListener} from './open-listener.ts';

const password = 'imap-password-0123';
const server = 'mx.example.org';

type Server = Awaited<ReturnType<typeof openImapServer>>;

const settingsOf = ({port}: Pick<Server, 'port'>, more: JsonObject = {}): JsonObject => ({
	from: 'Gateway <svc@example.org>',
	smtp: {host: 'smtp.example.org'},
	authserv_id: server,
	imap: {host: '127.0.0.1', port, secure: false, username: 'svc', password, ...more},
});

const openFor = async (
	imap: Server,
	options: Parameters<typeof openListener>[2] = {},
	more: JsonObject = {},
) => openListener('email', settingsOf(imap, more), {allowed: ['ann@example.com'], ...options});

const mailbox = 'svc@127.0.0.1/INBOX';

/** As the message of a mail of Ann's is known. */
const ofAnn = (id: string) => `ann@example.com/${id}`;

type MailParts = {
	readonly from?: string;
	readonly id?: string;
	/** `Authentication-Results` and whatever stands above the rest. */
	readonly top?: readonly string[];
	readonly to?: string;
	readonly date?: string;
	readonly headers?: readonly string[];
	readonly body?: string;
};

const passes = `Authentication-Results: ${server}; dkim=pass header.d=example.com;\r\n dmarc=pass (p=reject) header.from=example.com`;

const mail = ({
	from = 'Ann <Ann@Example.com>',
	id = '1@mail.example.com',
	top = [passes],
	to = 'svc@example.org',
	date = 'Tue, 14 Nov 2023 22:00:00 +0000',
	headers = [],
	body = 'hello',
}: MailParts = {}): string =>
	[
		...top,
		'Received: from mail.example.com by mx.example.org; Fri, 20 Nov 2026 10:00:00 +0000',
		`From: ${from}`,
		...(id === '' ? [] : [`Message-ID: <${id}>`]),
		...(to === '' ? [] : [`To: ${to}`]),
		...(date === '' ? [] : [`Date: ${date}`]),
		'Subject: x',
		...headers,
		'',
		body,
	].join('\r\n');

/** What comes of these mails, which come after the first look. */
async function heardOf(mails: readonly string[]) {
	await using imap = await openImapServer();
	await using open = await openFor(imap);
	void open.listen();
	await imap.until(() => imap.idling.size === 1);
	for (const raw of mails) {
		imap.put(raw);
	}

	imap.put(mail({id: 'end@x.example'}));
	await open.until(() => open.heard.messages.has(ofAnn('end@x.example')));
	expect(imap.faults).toEqual([]);
	return [...open.heard.messages.values()].slice(0, -1);
}

const failureOf = async (promise: Promise<unknown>): Promise<DeliveryError> =>
	promise.then(
		() => assert.fail('it did not fail'),
		(error: DeliveryError) => error,
	);

describe('what is heard', () => {
	test('a mail is a message of its address in small letters; its Message-ID begins a thread', async () => {
		const heard = await heardOf([
			mail(),
			mail({
				id: '2@mail.example.com',
				headers: [
					'In-Reply-To: <svc.0123456789abcdef012345678@example.org>',
					'References: <1@mail.example.com>\r\n <svc.0123456789abcdef012345678@example.org>',
				],
			}),
			mail({id: '3@mail.example.com', headers: ['In-Reply-To: <0@mail.example.com>']}),
		]);

		expect(heard).toEqual([
			{
				id: ofAnn('1@mail.example.com'),
				chat: 'ann@example.com',
				user: 'ann@example.com',
				name: 'Ann',
				thread: '1@mail.example.com',
				text: 'hello',
				isDirect: true,
				isForUs: true,
				answer: {thread_id: '1@mail.example.com', reply_to: '1@mail.example.com'},
			},
			expect.objectContaining({
				thread: '1@mail.example.com',
				answer: {thread_id: '1@mail.example.com', reply_to: '2@mail.example.com'},
			}),
			expect.objectContaining({thread: '0@mail.example.com'}),
		]);
		for (const {answer} of heard) {
			const extra = {chat_id: 'ann@example.com', ...answer};
			const settings = email.settings.parse({enabled: true, from: 'a@b.example'});
			assert.ok(settings);
			expect(email.check(extra, settings).ok).toBe(true);
		}
	});

	test('a mail without a Message-ID is known by what is in it', async () => {
		const heard = await heardOf([mail({id: ''}), mail({id: ''}), mail({id: '', body: 'other'})]);
		expect(heard).toMatchObject([
			{id: expect.stringMatching(/^ann@example\.com\/sha256:[0-9a-f]{64}$/), answer: {}},
			{text: 'other'},
		]);
	});

	test.for<readonly [string, MailParts]>([
		['no result of our server', {top: []}],
		['a result of another server', {top: [passes.replace(server, 'mx.evil.example')]}],
		['dmarc=fail', {top: [passes.replace('dmarc=pass', 'dmarc=fail')]}],
		[
			'a forged result below ours',
			{top: [`Authentication-Results: ${server}; dmarc=none`, passes]},
		],
		[
			'another domain in the result',
			{top: [passes.replace('=example.com', '=evil.example')], from: 'a@victim.example'},
		],
		['several senders', {from: 'ann@example.com, eve@evil.example'}],
		['two From', {headers: ['From: eve@evil.example']}],
		['an automatic answer', {headers: ['Auto-Submitted: auto-replied']}],
		...['bulk', 'list', 'junk'].map(
			word => [`Precedence: ${word}`, {headers: [`Precedence: ${word}`]}] as const,
		),
		['a mailing list', {headers: ['List-Id: <x.example.com>']}],
		['a report', {top: ['Return-Path: <>', passes]}],
		[
			'our own address',
			{from: 'svc@Example.org', top: [passes.replaceAll('=example.com', '=example.org')]},
		],
		['our own Message-ID', {id: 'svc.0123456789abcdef012345678@example.org'}],
		['no text', {body: ' \r\n'}],
		['a mail to others, handed on', {to: 'Bob <bob@example.com>'}],
		['our name, and another address', {to: '"svc@example.org" <bob@example.com>'}],
		['no recipient', {to: ''}],
		['a second To above the one that is signed', {headers: ['To: bob@example.com']}],
		['a second Message-ID', {headers: ['Message-ID: <old@mail.example.com>']}],
		['a mail of the day before yesterday', {date: 'Mon, 13 Nov 2023 22:13:19 +0000'}],
		['a mail of tomorrow', {date: 'Tue, 14 Nov 2023 22:24:00 +0000'}],
		['no date', {date: ''}],
		['no date that can be read', {date: 'yesterday'}],
		['large headers', {headers: [`X: ${'x'.repeat(128 * 1024)}`]}],
		['more lines than a mail of 1 MB should have', {body: '\r\n'.repeat(20_000) + 'x'}],
	])('%s: it is left out', async ([, parts]) => {
		expect(await heardOf([mail(parts)])).toEqual([]);
	});

	test('"Auto-Submitted: no" is a person', async () => {
		expect(await heardOf([mail({headers: ['Auto-Submitted: no']})])).toHaveLength(1);
	});

	test.for<readonly [string, MailParts]>([
		[
			'in Cc, among others',
			{to: 'x@y.example', headers: ['Cc: "a, b" <c@d.example>, SVC@Example.org']},
		],
		['with a name', {to: 'Bob <bob@example.com>, "Gateway" (us) <svc@example.org>'}],
		['in a group', {to: 'all: bob@example.com, svc@example.org;'}],
		['just not yet a day ago', {date: 'Mon, 13 Nov 2023 22:13:20 GMT (UTC)'}],
		['in another zone', {date: '15 Nov 2023 08:10:00 +1000'}],
	])('our address, or when it was written: %s', async ([, parts]) => {
		expect(await heardOf([mail(parts)])).toHaveLength(1);
	});

	test('of a stranger nothing but the headers is read, and Message-ID belong to senders', async () => {
		await using imap = await openImapServer();
		await using open = await openFor(imap);
		void open.listen();
		await imap.until(() => imap.idling.size === 1);
		imap.put(mail({from: 'Eve <eve@example.com>', body: 'approve K7QF'}));
		imap.put(mail());
		await open.until(() => open.heard.messages.size === 2);
		expect([...open.heard.messages.values()]).toMatchObject([
			{id: 'eve@example.com/1@mail.example.com', user: 'eve@example.com', name: 'Eve', text: ''},
			{id: ofAnn('1@mail.example.com'), text: 'hello'},
		]);
		expect(imap.commands.filter(one => one.includes('BODY.PEEK[]'))).toEqual([
			expect.stringMatching(/^UID FETCH 2 /),
		]);
	});

	test('who may only answer requests is read where mails may answer them', async () => {
		const texts = [true, false].map(async approvals => {
			await using imap = await openImapServer();
			const written = {...settingsOf(imap), approvers: ['Ann@example.com'], approvals};
			await using open = await openListener('email', written);
			void open.listen();
			await imap.until(() => imap.idling.size === 1);
			imap.put(mail());
			await open.until(() => open.heard.messages.size === 1);
			return [...open.heard.messages.values()].map(({text}) => text);
		});
		expect(await Promise.all(texts)).toEqual([['hello'], ['']]);
	});

	test('identifiers have at most 300 characters', async () => {
		const id = `${'x'.repeat(140)}@${'y'.repeat(148)}`;
		const [heard] = await heardOf([mail({id})]);
		expect(heard).toMatchObject({id: expect.stringMatching(/^sha256:/), thread: id});
	});

	// What takes time that grows with the square does not end within the limit of a test.
	test('the time that hostile mails take grows with their length', async () => {
		const html = (text: string) =>
			`--b\r\n\r\nx\r\n--b\r\nContent-Type: text/html\r\n\r\n${text}\r\n--b--`;
		const headers = ['Content-Type: multipart/mixed; boundary=b'];
		const bodies = ['<a href="', '<', '<!--', '&#'].map(piece =>
			html(piece.repeat(900_000 / piece.length)),
		);
		const mails = bodies.map((body, at) => mail({id: `${at}@x.example`, headers, body}));
		const long = mail({id: '9@x.example', headers: [`Cc: ${'a:'.repeat(60_000)}`]});
		expect(await heardOf([...mails, long])).toHaveLength(5);
	});

	test('a mail of more than 1 MB is left out without being read', async () => {
		await using imap = await openImapServer();
		await using open = await openFor(imap);
		void open.listen();
		await imap.until(() => imap.idling.size === 1);
		imap.put(mail({body: 'x'.repeat(1024 * 1024)}));
		imap.put(mail({id: '2@x.example'}));
		await open.until(() => open.heard.messages.size === 1);
		expect(imap.commands.filter(one => one.startsWith('UID FETCH 1 '))).toEqual([]);
	});

	test('plain text before HTML, HTML as text, attachments left out', async () => {
		const part = (type: string, text: string, more = '') =>
			`--b\r\nContent-Type: ${type}; charset=utf-8${more}\r\n\r\n${text}\r\n`;
		const headers = (kind: string) => [
			'MIME-Version: 1.0',
			`Content-Type: multipart/${kind}; boundary=b`,
		];
		const heard = await heardOf([
			mail({
				headers: headers('alternative'),
				body: `${part('text/plain', 'plain')}${part('text/html', '<p>rich</p>')}--b--`,
			}),
			mail({
				id: '2@x.example',
				headers: headers('mixed'),
				body: `${part('text/html', '<style>p{}</style><p>Grüße &amp; <b>more</b></p><ul><li>a<li>b</ul><blockquote>old</blockquote>')}${part('text/plain', 'attached', '\r\nContent-Disposition: attachment; filename=x.txt')}--b--`,
			}),
		]);
		expect(heard.map(({text}) => text)).toEqual(['plain', 'Grüße & more\n\n- a\n- b']);
	});

	test('any mail, however broken, hides no other and ends nothing', async () => {
		await using imap = await openImapServer();
		await using open = await openFor(imap);
		void open.listen();
		await imap.until(() => imap.idling.size === 1);
		const line = fc.oneof(
			fc.constantFrom(
				passes,
				'From: ann@example.com',
				'To: svc@example.org',
				'Date: Tue, 14 Nov 2023 22:00:00 +0000',
				'From: "x" <a@b',
				'Message-ID: <' + 'x'.repeat(900) + '@y>',
				'Message-ID: <__proto__@constructor>',
				'References: <<>><a>',
				'Content-Type: multipart/mixed; boundary=""',
				'Content-Type: text/html; charset=nowhere',
				'Content-Transfer-Encoding: base64',
				': ',
				'',
				' folded',
				'--b',
			),
			fc.string({unit: 'binary', maxLength: 60}),
		);
		let count = 0;
		await fc.assert(
			fc.asyncProperty(fc.array(line, {maxLength: 12}), async lines => {
				count += 1;
				const id = `${count}@after.example`;
				imap.put(lines.join('\r\n'));
				imap.put(mail({id}));
				await open.until(() => open.heard.messages.has(ofAnn(id)));
			}),
			{numRuns: propertyRuns(120), seed: runSeed},
		);
		expect(imap.state.logins).toBe(1);
		expect(imap.faults).toEqual([]);
		for (const {id, text} of open.heard.messages.values()) {
			expect(id.length).toBeLessThanOrEqual(300);
			expect(text.trim()).not.toBe('');
		}
	});
});

testApprovals({
	kind: 'email',
	people: {approver: 'ann@example.com', talker: 'bob@example.com', outsider: 'eve@example.com'},
	leavesOutsidersUnread: true,
	places: [
		{
			here: {chat: 'ann@example.com', isDirect: true},
			elsewhere: {chat: 'bob@example.com', isDirect: true},
		},
	],
	async open() {
		const imap = await openImapServer();
		let last = 0;
		return {
			...imap,
			written: {...settingsOf(imap), approvals: true},
			write(_, from, body) {
				last += 1;
				imap.put(mail({from, id: `${last}@mail.example.com`, body}));
			},
		};
	},
});

describe('who is believed', () => {
	const results = (...values: readonly string[]) =>
		passesDmarc(
			values.map(value => ['authentication-results', value] as const),
			server,
			'ann@example.com',
		);

	test.for([
		`${server}; dmarc=pass`,
		`${server} 1; spf=fail; DMARC = Pass header.from=Example.COM`,
		`MX.example.org; dmarc=pass (p=none; dis=none) header.from=example.com; spf=pass smtp.mailfrom="a;b"@example.com`,
		`"${server}"; dmarc/1=pass reason="x; dmarc=fail"`,
		`(comment) ${server}; dmarc=pass`,
	])('%s passes', value => {
		expect(results(value)).toBe(true);
	});

	test.for([
		`${server}; dmarc=passed`,
		`${server}; dmarc=pass; dmarc=fail`,
		`${server}; dmarc=pass header.from=evil.example`,
		`${server}; spf=pass smtp.mailfrom="; dmarc=pass "@evil.example`,
		`${server}; spf=fail reason="x\\"; dmarc=pass"`,
		`${server}; spf=fail (x; dmarc=pass)`,
		`${server}; spf=fail (x (y) ; dmarc=pass`,
		`${server}; xdmarc=pass`,
		`${server}.evil.example; dmarc=pass`,
		`evil.example; ${server}; dmarc=pass`,
		`${server}; none`,
		server,
		'',
	])('%s does not pass', value => {
		expect(results(value)).toBe(false);
	});

	test('the topmost result of our server counts alone', () => {
		const pass = `${server}; dmarc=pass`;
		expect(results('other.example; dmarc=fail', pass)).toBe(true);
		expect(results(`${server}; dmarc=fail`, pass)).toBe(false);
		expect(results(`${server}; spf=pass (`, pass)).toBe(false);
	});

	test('a header behind a bare CR is none', () => {
		const headers = mailHeadersOf(`Subject: a\rFrom: x@y.example\r\nTo: b\r\n\r\nCc: c`);
		expect(headers.map(([name]) => name)).toEqual(['subject', 'to']);
	});

	test.for([
		['ann@example.com', 'ann@example.com'],
		['"Doe, Ann <x@evil.example>" <Ann@Example.com>', 'ann@example.com'],
		['ann@example.com (eve@evil.example)', 'ann@example.com'],
		['victim@example.com <eve@evil.example>', 'eve@evil.example'],
		['=?utf-8?q?Gr=C3=BC=C3=9Fe?= <a@bücher.example>', 'a@xn--bcher-kva.example'],
		['a@example.com, b@example.com', undefined],
		['group: a@example.com;', undefined],
		['"victim@example.com" @evil.example', undefined],
		['<a@b.example> <c@d.example>', undefined],
		['"open <a@b.example>', undefined],
		['', undefined],
	] as const)('From: %s is %s', ([from, sender]) => {
		expect(mailSenderOf([['from', from]])).toBe(sender);
	});
});

describe('what of a mail is its text', () => {
	test.for([
		[
			'yes\n\nOn Fri, 20 Nov 2026 at 10:00, Svc <svc@example.org> wrote:\n> Shall I?\n>\n> More\n',
			'yes',
		],
		['yes\n\nOn Fri, 20 Nov 2026 at 10:00, Svc\n<svc@example.org> wrote:\n\n> Shall I?', 'yes'],
		['ja\n\nAm 20.11.26 um 10:00 schrieb Svc:\n> Soll ich?', 'ja'],
		['yes\n\n-----Original Message-----\nFrom: x\nwhat was before', 'yes'],
		['approve K7QF\n-- \nAnn Example\nAcme', 'approve K7QF'],
		[
			'yes\n\n________________________________\nFrom: Svc <svc@example.org>\nSent: Friday\nTo: Ann\nSubject: x\n\nbefore',
			'yes',
		],
		['ja\n\nVon: Svc\nGesendet: Freitag\nAn: Ann\nBetreff: x\n\nvorher', 'ja'],
		['> Shall I?\nyes\n> And that?\nno', '> Shall I?\nyes\n> And that?\nno'],
		['> Shall I?\nyes\n> More', '> Shall I?\nyes'],
		['> only a quote', '> only a quote'],
		['On Monday I wrote:\nnothing', 'On Monday I wrote:\nnothing'],
		['From: here\nto there', 'From: here\nto there'],
		['a > b', 'a > b'],
	] as const)('%j becomes %j', ([text, reply]) => {
		expect(replyText(text)).toBe(reply);
		expect(replyText(text.replaceAll('\n', '\r\n'))).toBe(reply);
	});

	test('never is everything left out, whatever the text', () => {
		fc.assert(
			fc.property(
				fc.array(
					fc.constantFrom(
						'> a',
						'x',
						'',
						'On x wrote:',
						'-----Original Message-----',
						'From: a',
						'Sent: b',
						'To: c',
						'Subject: d',
					),
				),
				lines => {
					const text = lines.join('\n');
					expect(replyText(text) === '').toBe(text.trim() === '');
				},
			),
			{numRuns: propertyRuns(400), seed: runSeed},
		);
	});

	test.for([
		['<p>a</p><p>b<br>c</p>', 'a\n\nb\nc'],
		['<head><title>t</title></head><body>x<script>y</script> z', 'x z'],
		['<blockquote>a<blockquote>b</blockquote></blockquote>c', '> a\n> > b\nc'],
		['<table><tr><td>a<td>b<tr><td>c</table>', 'a b\nc'],
		['a &lt;b&gt; &#64;', 'a <b> @'],
	] as const)('%s reads %j', ([html, text]) => {
		expect(textOfHtml(html)).toBe(text);
	});

	// What takes time that grows with the square does not end within the limit of a test.
	test('the time that hostile texts take grows with their length', () => {
		for (const piece of [
			'<',
			'<blockquote>',
			'<b>',
			'&',
			'<!--',
			'</p>',
			'<p',
			'&#x',
			'<br>',
			'<div>a',
		]) {
			expect(replyText(textOfHtml(piece.repeat(150_000)))).toBeTypeOf('string');
		}

		for (const piece of ['> ', 'On ', 'a\n', ' ', '>\n', 'From: x\n', 'On x\n', '_'.repeat(20)]) {
			expect(replyText(piece.repeat(100_000))).toBeTypeOf('string');
		}
	});
});

describe('connections', () => {
	test.for([
		['a first start', undefined],
		['another mailbox', {account: 'svc@imap.example.org/INBOX', uidvalidity: '1', uid: 0}],
	] as const)('%s answers nothing that is there, and is noted at once', async ([, cursor]) => {
		await using imap = await openImapServer();
		imap.put(mail());
		const heard = createHeard();
		heard.cursor = cursor;
		await using open = await openFor(imap, {heard});
		void open.listen();
		await imap.until(() => imap.idling.size === 1);
		expect(open.heard.messages.size).toBe(0);
		expect(open.heard.cursor).toEqual({account: mailbox, uidvalidity: '1', uid: 1});
		expect(open.heard.notes).toEqual([undefined]);
		imap.put(mail({id: '2@x.example'}));
		await open.until(() => open.heard.messages.size === 1);
		expect(imap.commands.filter(one => /^(?:SELECT|STORE|APPEND|EXPUNGE|COPY)/.test(one))).toEqual(
			[],
		);
	});

	test('after a break it goes on behind the last mail; with a new UIDVALIDITY at the end', async () => {
		await using imap = await openImapServer();
		const heard = createHeard();
		await using open = await openFor(imap, {heard});
		const first = open.listen();
		await imap.until(() => imap.idling.size === 1);
		for (const socket of imap.sockets) {
			socket.destroy();
		}

		expect(await failureOf(first)).toMatchObject({code: 'platform_unreachable', retryable: true});
		imap.put(mail());
		const second = open.listen();
		await open.until(() => heard.messages.size === 1);
		await imap.until(() => imap.idling.size === 1);
		for (const socket of imap.sockets) {
			socket.destroy();
		}

		await failureOf(second);
		imap.renumber();
		imap.put(mail({id: '2@x.example'}));
		void open.listen();
		await imap.until(() => imap.idling.size === 1);
		expect(heard.cursor).toEqual({account: mailbox, uidvalidity: '2', uid: 2});
		imap.put(mail({id: '3@x.example'}));
		await open.until(() => heard.messages.has(ofAnn('3@x.example')));
		expect([...heard.messages.keys()]).toEqual([ofAnn('1@mail.example.com'), ofAnn('3@x.example')]);
	});

	test('a write that fails ends the connection, and the mail comes again', async () => {
		await using imap = await openImapServer();
		await using open = await openFor(imap);
		const listening = open.listen();
		await imap.until(() => imap.idling.size === 1);
		open.heard.failures.push(new Error('the disk is full'));
		imap.put(mail());
		await expect(listening).rejects.toThrow('the disk is full');
		expect(open.heard.cursor).toEqual({account: mailbox, uidvalidity: '1', uid: 0});
		void open.listen();
		await open.until(() => open.heard.messages.size === 1);
	});

	test('IDLE is begun anew every five minutes, and what was not told is found', async () => {
		await using imap = await openImapServer();
		await using open = await openFor(imap);
		void open.listen();
		await imap.until(() => imap.idling.size === 1);
		const silent = imap.put.bind(imap);
		imap.mails.push({uid: imap.state.uidNext++, raw: Buffer.from(mail()), date: new Date(0)});
		expect(open.heard.messages.size).toBe(0);
		open.clock.advance(5 * 60_000);
		await open.until(() => open.heard.messages.size === 1);
		await imap.until(() => imap.idling.size === 1);
		silent(mail({id: '2@x.example'}));
		await open.until(() => open.heard.messages.size === 2);
		expect(open.clock.timersLeft).toBeLessThanOrEqual(1);
	});

	test('a server without IDLE is asked again', async () => {
		await using imap = await openImapServer({hasIdle: false});
		await using open = await openFor(imap);
		void open.listen();
		await imap.until(() => imap.commands.some(one => one.startsWith('UID FETCH')));
		imap.put(mail());
		open.clock.advance(5 * 60_000);
		await open.until(() => open.heard.messages.size === 1);
		expect(imap.commands).not.toContain('IDLE');
	});

	test('it ends within a second of the signal, wherever it is', async () => {
		await using imap = await openImapServer();
		await using open = await openFor(imap);
		const ending = new AbortController();
		const listening = open.listen(ending.signal);
		await imap.until(() => imap.idling.size === 1);
		ending.abort();
		await listening;
		await imap.until(() => imap.sockets.size === 0);
		expect(open.clock.timersLeft).toBe(0);

		const early = new AbortController();
		const begun = open.listen(early.signal);
		await imap.until(() => imap.sockets.size === 1);
		early.abort();
		await begun;
		await imap.until(() => imap.sockets.size === 0);
	});

	test('a refused login needs other settings, and shows no password', async () => {
		await using imap = await openImapServer();
		await using open = await openFor(imap, {}, {password: 'wrong-password-99'});
		const failure = await failureOf(open.listen());
		expect(failure).toMatchObject({code: 'platform_unauthorized', retryable: false});
		expect(failure.message).toContain('the login is refused');
		expect(failure.message).not.toContain('wrong-password-99');
	});

	test('a login that is refused for now passes', async () => {
		await using imap = await openImapServer();
		await using open = await openFor(imap);
		imap.reactions.push(['LOGIN', {no: '[UNAVAILABLE] come back later'}]);
		expect(await failureOf(open.listen())).toMatchObject({retryable: true});
	});

	test('a mailbox that is not there needs other settings', async () => {
		await using imap = await openImapServer();
		await using open = await openFor(imap, {}, {mailbox: 'Nowhere'});
		expect(await failureOf(open.listen())).toMatchObject({
			code: 'platform_rejected',
			retryable: false,
		});
	});

	test('200 mails over 20 breaks of all kinds arrive in order, and once on disk', async () => {
		await using imap = await openImapServer();
		const chats = ['ann@example.com', 'bob@example.com', 'cyd@example.com'];
		const {numbers, inOrder, final} = await liveThrough('email', {
			written: settingsOf(imap),
			chats,
			allowed: chats,
			write(from, body) {
				imap.put(mail({from, body, id: `${body}@mail.example.com`}));
			},
			endings: [
				() => {
					for (const socket of imap.sockets) {
						socket.destroy();
					}
				},
				() => imap.reactions.push(['UID FETCH', 'drop']),
				() => imap.reactions.push(['IDLE', 'drop']),
				() => imap.reactions.push(['UID FETCH', {no: '[SERVERBUG] sorry'}]),
			],
			isUp: async () => imap.until(() => imap.idling.size > 0),
		});
		expect(numbers).toEqual(inOrder);
		expect([final, imap.faults]).toEqual([[], []]);
	});
});

describe('settings', () => {
	test('`inbound` without `authserv_id` is a slip', () => {
		using home = createTemporaryHome();
		const text =
			'platforms:\n  email:\n    enabled: true\n    from: a@b.example\n    inbound: true\n';
		expect(problemsOf(home.load({config: text}))).toEqual([
			expect.stringMatching(/^config\.yaml:5:\d+ platforms\.email\.inbound: needs "authserv_id"/),
		]);
		expect(problemsOf(home.load({config: `${text}    authserv_id: mx.example.org\n`}))).toEqual([]);
	});

	test('what is missing for listening is named', async () => {
		await using open = await openListener('email', {
			from: 'a@b.example',
			authserv_id: 'x',
			imap: {host: 'imap.example.org'},
		});
		expect(open.lacks).toBe('"imap.username", "imap.password"');
	});

	test('port and TLS follow from each other, and addresses are in small letters', () => {
		const read = (more: JsonObject) => email.settings.parse({enabled: true, ...more});
		expect(read({})?.imap).toMatchObject({port: 993, secure: true, mailbox: 'INBOX'});
		expect(read({imap: {port: 143}})?.imap).toMatchObject({port: 143, secure: false});
		expect(read({imap: {secure: false}})?.imap).toMatchObject({port: 143, secure: false});
		expect(read({allow_from: ['Ann@Example.com']})?.allowFrom).toEqual(['ann@example.com']);
	});
});
