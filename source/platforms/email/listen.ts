import {ImapFlow} from 'imapflow';
import {within} from '../../core/clock.ts';
import {codeOf, messageOf as wordsOf} from '../../core/errors.ts';
import {isLoopbackHost} from '../../core/hosts.ts';
import type {JsonObject, JsonValue} from '../../core/json.ts';
import {createRedact} from '../../core/redact.ts';
import {keptFor, listenFailure, readConnection} from '../connection.ts';
import type {CreateListener, Hearing, InboundMessage, ListenerWorld} from '../listener.ts';
import type {EmailSettings} from './descriptor.ts';
import {judgeMail, maxHeaderBytes, messageWith, textOfMail} from './inbound.ts';
import {mailHeadersOf} from './mail-headers.ts';
import {certificateAdvice, tlsOf} from './smtp-failure.ts';

const stepMs = 10_000;
/** IDLE is renewed after this time: servers end it after 30 minutes, and a broken connection is only noticed when something is sent. @see RFC 2177 */
const idleMs = 5 * 60_000;
const silenceMs = 60_000;
const maxMailBytes = 1024 * 1024;
const maxAtOnce = 500;

/** The position reached in a mailbox. `account`: `user@host/mailbox`. With a different `uidvalidity` its mails are numbered anew. @see RFC 3501 §2.3.1.1 */
type Mark = {readonly account: string; readonly uidvalidity: string; readonly uid: number};

/**
 * Reads new mails of a mailbox over IMAP, without changing it.
 *
 * @see manual/delivery-email.md#conversations
 */
export const createListener: CreateListener<EmailSettings> = (settings, world) => ({
	async listen(hearing, {cursor, signal}) {
		await readConnection('email', signal, async connection => {
			const client = new ImapFlow(optionsOf(settings, world));
			const {promise: broken, reject: breakOff} = Promise.withResolvers<never>();
			broken.catch(() => {});
			client.on('error', breakOff);
			client.on('close', () => breakOff(new Error('the server ended the connection')));
			const ending = new AbortController();
			const ended = AbortSignal.any([connection.signal, ending.signal]);
			let saving: Promise<void> | undefined;
			let unsaved: {readonly error: unknown} | undefined;
			const save = async (messages: readonly InboundMessage[], mark: Mark) => {
				ended.throwIfAborted();
				saving = hearing.onMessages(messages, mark);
				try {
					await saving;
				} catch (error) {
					unsaved = {error};
					throw error;
				}
			};
			try {
				const talk = readMailbox(client, {settings, world, hearing, save, cursor, signal: ended});
				const end = Promise.race([talk, broken]);
				end.catch(() => {});
				await within(end, ended);
			} catch (error) {
				throw unsaved ? unsaved.error : failureOf(error, settings, world);
			} finally {
				ending.abort();
				client.close();
				await saving?.catch(() => {});
			}
		});
	},
});

type Reading = {
	readonly settings: EmailSettings;
	readonly world: ListenerWorld;
	readonly hearing: Hearing;
	readonly save: (messages: readonly InboundMessage[], mark: Mark) => Promise<void>;
	readonly cursor: JsonValue | undefined;
	readonly signal: AbortSignal;
};

async function readMailbox(client: ImapFlow, reading: Reading): Promise<never> {
	const {settings, world, hearing, save, cursor, signal} = reading;
	let news = Promise.withResolvers<void>();
	client.on('exists', () => news.resolve());
	const {host = '', username = '', mailbox} = settings.imap;
	await client.connect();
	const {uidValidity, uidNext} = await client.mailboxOpen(mailbox, {readOnly: true});
	const uidvalidity = String(uidValidity);
	const account = `${username}@${host.toLowerCase()}/${mailbox}`;
	const known = markIn(keptFor(cursor, account));
	let uid = known?.uidvalidity === uidvalidity ? known.uid : uidNext - 1;
	if (known?.uidvalidity !== uidvalidity) {
		if (known) {
			const words = 'the mailbox was numbered anew: what came meanwhile is not answered';
			world.log.warn(words, {mailbox});
		}

		await save([], {account, uidvalidity, uid});
	}

	hearing.onListening();
	for (;;) {
		signal.throwIfAborted();
		news = Promise.withResolvers();
		// oxlint-disable-next-line no-await-in-loop -- sequential batches
		const mails = await mailsBehind(client, uid);
		for (const mail of mails) {
			// oxlint-disable-next-line no-await-in-loop -- in order
			const message = await heardIn(client, mail, reading);
			uid = mail.uid;
			// The position of an ignored mail is saved with the next message.
			if (message || mail === mails.at(-1)) {
				// oxlint-disable-next-line no-await-in-loop -- see above
				await save(message ? [message] : [], {account, uidvalidity, uid});
			}

			signal.throwIfAborted();
		}

		if (mails.length === 0) {
			// The next command ends IDLE.
			void client.idle().catch(() => {});
			const cancel = world.clock.after(idleMs, news.resolve);
			try {
				// oxlint-disable-next-line no-await-in-loop -- until something comes
				await within(news.promise, signal);
			} finally {
				cancel();
			}
		}
	}
}

function markIn({uidvalidity, uid}: JsonObject): Omit<Mark, 'account'> | undefined {
	return typeof uidvalidity === 'string' && Number.isSafeInteger(uid)
		? {uidvalidity, uid: Number(uid)}
		: undefined;
}

type Mail = {readonly uid: number; readonly bytes: number};

const byUid = {uid: true};

/** The next mails, in order of arrival. */
async function mailsBehind(client: ImapFlow, last: number): Promise<readonly Mail[]> {
	const mails: Mail[] = [];
	// `*` is the last mail, even if its number is smaller.
	const query = {uid: true, size: true};
	for await (const {uid, size = 0} of client.fetch(`${last + 1}:*`, query, byUid)) {
		if (uid > last && mails.length < maxAtOnce) {
			mails.push({uid, bytes: size});
		}
	}

	return mails.toSorted((one, other) => one.uid - other.uid);
}

/** Reads the message of a mail; `undefined` if it is ignored or was deleted. Mails of strangers are not read: their messages have no text. */
async function heardIn(
	client: ImapFlow,
	{uid, bytes}: Mail,
	{settings, world: {log, clock}, hearing}: Reading,
): Promise<InboundMessage | undefined> {
	if (bytes > maxMailBytes) {
		log.warn('a mail was left out: it is larger than 1 MB', {uid, bytes});
		return undefined;
	}

	const isKnown = (sender: string) =>
		hearing.isAllowed(sender) ||
		(settings.approvals && settings.approvers?.includes(sender) === true);
	const leaveOut = (reason: string, sender: string | undefined) => {
		const isTold = sender !== undefined && isKnown(sender);
		log[isTold ? 'warn' : 'debug']('a mail was left out', {uid, sender, reason});
		return undefined;
	};
	const top = await client.fetchOne(String(uid), {headers: true}, byUid);
	const raw = (top && top.headers) || Buffer.of();
	if (raw.length > maxHeaderBytes) {
		return leaveOut('its headers are larger than 128 KB', undefined);
	}

	const headers = mailHeadersOf(raw.toString('utf8'));
	const {leftOut, sender} = judgeMail(headers, settings, clock.now());
	if (leftOut !== undefined) {
		return leaveOut(leftOut, sender);
	}

	const about = {headers, sender};
	if (!isKnown(sender)) {
		return messageWith('', about);
	}

	const whole = await client.fetchOne(String(uid), {source: true}, byUid);
	if (!whole || !whole.source) {
		return undefined;
	}

	try {
		const text = await textOfMail(whole.source);
		return text === '' ? leaveOut('it has no text', sender) : messageWith(text, about);
	} catch (error) {
		return leaveOut(`it cannot be read: ${wordsOf(error)}`, sender);
	}
}

function optionsOf(
	{imap: {host = '', port, secure, username = '', password = ''}}: EmailSettings,
	{secureContext}: Pick<ListenerWorld, 'secureContext'>,
) {
	return {
		host,
		port,
		secure,
		// A password must not cross a network unencrypted.
		...(!secure && !isLoopbackHost(host) && {doSTARTTLS: true}),
		auth: {user: username, pass: password},
		tls: tlsOf(host, secureContext),
		logger: false as const,
		clientInfo: {name: 'svc'},
		disableAutoIdle: true,
		disableCompression: true,
		connectionTimeout: stepMs,
		greetingTimeout: stepMs,
		socketTimeout: silenceMs,
		maxLineLength: 1024 * 1024,
		maxLiteralSize: 2 * maxMailBytes,
		maxResponseSize: 3 * maxMailBytes,
		maxResponseTokens: 10_000,
	};
}

/** Login refusals that are temporary. @see RFC 5530 §3 */
const passing: ReadonlySet<unknown> = new Set(['UNAVAILABLE', 'LIMIT', 'INUSE', 'SERVERBUG']);

function failureOf(
	error: unknown,
	{imap: {host, port, username = '', password = ''}}: EmailSettings,
	{clean}: Pick<ListenerWorld, 'clean'>,
) {
	const told: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(error ?? {}));
	const plain = Buffer.from(`\0${username}\0${password}`).toString('base64');
	const hide = createRedact(() => [password, plain].filter(text => text !== ''));
	const said = typeof told['responseText'] === 'string' ? told['responseText'] : wordsOf(error);
	const isRefused =
		told['authenticationFailed'] === true && !passing.has(told['serverResponseCode']);
	const code = isRefused
		? 'platform_unauthorized'
		: told['mailboxMissing'] === true
			? 'platform_rejected'
			: 'platform_unreachable';
	const why = `${isRefused ? 'the login is refused: ' : ''}${said === '' ? codeOf(error) : said}`;
	return listenFailure('email', `${host}:${port}: ${clean(hide(why))}${certificateAdvice(error)}`, {
		code,
	});
}
