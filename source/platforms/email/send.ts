import {Readable} from 'node:stream';
import {promisify} from 'node:util';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import {within} from '../../core/clock.ts';
import {isLoopbackHost} from '../../core/hosts.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Connect} from '../platform.ts';
import type {MessagePart, SenderWorld} from '../target-kind.ts';
import {plainText} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import type {EmailSettings} from './descriptor.ts';
import {mailAddressOf, mailSubjectOf} from './recipients.ts';
import {smtpFailure, tlsOf} from './smtp-failure.ts';

const maxLength = 500_000;

const stepTimeoutMs = 10_000;

const maxIdLength = 200;

/**
 * Sends mails over SMTP, as plain text. A retry of the same answer has the same Message-ID, so that mail systems and people recognise it.
 *
 * Rejects with a `DeliveryError` `smtp_*`, `delivery_timeout`, `delivery_aborted`, and with `delivery_uncertain` between the first byte of the mail and the server's answer
 * to it.
 *
 *
 * @see manual/delivery-email.md
 */
export const connect: Connect<EmailSettings> = (settings, world) => {
	const {
		from,
		smtp: {host = '', port, secure, username, password = ''},
	} = settings;
	const server = `${host}:${port}`;
	const domain = mailAddressOf(from)?.split('@')[1] ?? 'svc.invalid';

	/** Connects, switches to TLS, logs in, and disconnects after `talk`. `isBegun`: whether a mail may have been sent. */
	const converse = async <Result>(
		{limitMs, signal}: Pick<MessagePart, 'limitMs' | 'signal'>,
		talk: (connection: SMTPConnection) => Promise<Result>,
		isBegun = () => false,
	): Promise<Result> => {
		const deadline = new AbortController();
		const cancel = world.clock.after(limitMs, () => deadline.abort());
		const ended = AbortSignal.any([signal, deadline.signal]);
		const connection = new SMTPConnection(optionsOf(settings, world));
		const broken = Promise.withResolvers<never>();
		connection.on('error', broken.reject);
		const conversation = async () => {
			await promisify(connection.connect.bind(connection))();
			if (username !== undefined && connection.allowsAuth) {
				await promisify(connection.login.bind(connection))({user: username, pass: password});
			}

			return talk(connection);
		};
		try {
			ended.throwIfAborted();
			return await within(Promise.race([conversation(), broken.promise]), ended);
		} catch (error) {
			throw smtpFailure(error, {
				server,
				isBegun: isBegun(),
				timedOut: deadline.signal.aborted,
				aborted: signal.aborted,
				clean: world.clean,
			});
		} finally {
			cancel();
			connection.close();
		}
	};

	return {
		split: splitAs(plainText, maxLength, 1),
		async check(limits) {
			await converse(limits, async () => {});
			const way = secure ? 'TLS' : isLoopbackHost(host) ? 'this machine' : 'STARTTLS where offered';
			return `${server} answers (${way}${username === undefined ? ', no login' : ', logged in'})`;
		},
		async send(message, {chat, thread, replyTo = thread}, {key, ...limits}) {
			const messageId = `<svc.${key}@${domain}>`;
			const mail = new MailComposer({
				from,
				to: chat.split(', '),
				subject: mailSubjectOf(message.target.extra, message),
				text: message.text,
				messageId,
				...(replyTo !== undefined && {
					inReplyTo: replyTo,
					references: [...new Set([thread ?? replyTo, replyTo])],
				}),
				date: new Date(world.clock.now()),
				// Keeps absence notices from answering a machine. @see RFC 3834
				headers: {'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All'},
				disableFileAccess: true,
				disableUrlAccess: true,
			}).compile();
			const bytes = await mail.build();
			let isBegun = false;
			// Read only once the server asks for the mail.
			const source = new Readable({
				read() {
					isBegun = true;
					this.push(bytes);
					this.push(null);
				},
			});
			// Some servers give a mail an identifier of their own.
			const {rejected, serverMessageId = messageId} = await converse(
				limits,
				async connection => promisify(connection.send.bind(connection))(mail.getEnvelope(), source),
				() => isBegun,
			);
			const refused = rejected.length === 0 ? '' : `, ${rejected.length} refused by the server`;
			return {
				place: `email to ${chat}${refused}`,
				id: escapeLine(serverMessageId, maxIdLength),
			};
		},
	};
};

function optionsOf({smtp}: EmailSettings, {secureContext}: Pick<SenderWorld, 'secureContext'>) {
	const {host = '', port, secure, username} = smtp;
	return {
		host,
		port,
		secure,
		// A password must not cross a network unencrypted, even if an attacker removes STARTTLS from the conversation.
		requireTLS: !secure && username !== undefined && !isLoopbackHost(host),
		tls: tlsOf(host, secureContext),
		connectionTimeout: stepTimeoutMs,
		greetingTimeout: stepTimeoutMs,
		dnsTimeout: stepTimeoutMs,
		socketTimeout: 2 * stepTimeoutMs,
		socketCloseTimeout: 0,
		maxResponseSize: 64 * 1024,
	};
}
