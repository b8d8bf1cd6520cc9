import {createHash} from 'node:crypto';
import {createTransport} from 'nodemailer';
import {isLoopbackHost} from '../../core/loopback.ts';
import {within} from '../../core/within.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {SenderModule, SenderWorld} from '../target-kind.ts';
import {mailAddressOf, subjectOf} from './recipients.ts';
import type {EmailSettings} from './settings.ts';
import {smtpFailure} from './smtp-failure.ts';

/** For the whole conversation; the single steps have shorter ones. */
const timeoutMs = 30_000;

const stepTimeoutMs = 10_000;

/**
 * Sends mails over SMTP, as plain text, each within 30 s. A repeated try of the same answer carries the same
 * Message-ID, so that mail systems and people recognise it.
 *
 * A mail rejects with a `DeliveryError` `smtp_*`, `delivery_timeout`, `delivery_aborted`.
 *
 * @see manual/delivery-email.md
 */
export const connect: SenderModule<EmailSettings, readonly string[]>['connect'] = (
	settings,
	{clock, clean, secureContext},
) => ({
	async send(message, recipients, {signal}) {
		const deadline = new AbortController();
		const cancel = clock.after(timeoutMs, () => {
			deadline.abort();
		});
		const transport = createTransport(transportOptions(settings, secureContext));
		try {
			const {rejected} = await transport.sendMail({
				from: settings.from,
				to: [...recipients],
				subject: subjectOf(message.target.extra, message),
				text: message.text,
				messageId: messageIdOf(message, settings.from),
				date: new Date(clock.now()),
				// Keeps absence notes from answering a machine. @see RFC 3834
				headers: {'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All'},
				signal: AbortSignal.any([signal, deadline.signal]),
			});
			const refused = rejected.length === 0 ? '' : `, ${rejected.length} refused by the server`;
			return `email to ${recipients.join(', ')}${refused}`;
		} catch (error) {
			throw smtpFailure(error, {
				server: `${settings.smtp.host}:${settings.smtp.port}`,
				timedOut: deadline.signal.aborted,
				aborted: signal.aborted,
				clean,
			});
		} finally {
			cancel();
			transport.close();
		}
	},
	async examine(_, signal) {
		const {host, port, secure, username} = settings.smtp;
		const server = `${host}:${port}`;
		const transport = createTransport(transportOptions(settings, secureContext));
		try {
			// Greets, goes over to TLS, logs in, and leaves.
			await within(transport.verify(), signal);
			const way = secure ? 'TLS' : isLoopbackHost(host) ? 'this machine' : 'STARTTLS where offered';
			return {
				health: 'ok',
				found: `${server} answers (${way}${username === undefined ? ', no login' : ', logged in'})`,
			};
		} catch (error) {
			const failure = smtpFailure(error, {
				server,
				timedOut: false,
				aborted: false,
				clean,
			});
			return signal.aborted
				? {
						health: 'failed',
						found: `"${server}" did not answer in time`,
						mend: 'see platforms.email.smtp in config.yaml: host and port',
					}
				: {
						health: 'failed',
						found: failure.message,
						mend:
							failure.code === 'smtp_not_authenticated'
								? 'see platforms.email.smtp in config.yaml: username and password'
								: 'see platforms.email.smtp in config.yaml: host, port and secure',
					};
		} finally {
			transport.close();
		}
	},
});

function transportOptions({smtp}: EmailSettings, secureContext: SenderWorld['secureContext']) {
	const {host, port, secure, username, password} = smtp;
	const isHere = isLoopbackHost(host);
	return {
		host,
		port,
		secure,
		// A password never crosses a network in the clear, even when somebody strips STARTTLS from the conversation.
		requireTLS: !secure && username !== undefined && !isHere,
		// Mail servers and bridges on this machine sign their own certificates.
		tls: isHere
			? {rejectUnauthorized: false}
			: {rejectUnauthorized: true, ...(secureContext && {secureContext: secureContext()})},
		...(username !== undefined && {auth: {user: username, pass: password ?? ''}}),
		connectionTimeout: stepTimeoutMs,
		greetingTimeout: stepTimeoutMs,
		dnsTimeout: stepTimeoutMs,
		socketTimeout: 2 * stepTimeoutMs,
		socketCloseTimeout: 0,
		maxResponseSize: 64 * 1024,
		disableFileAccess: true,
		disableUrlAccess: true,
	};
}

/** The same for every try of one answer, different for every other. */
function messageIdOf({profile, route, delivery, runId}: OutgoingMessage, from: string): string {
	const name = createHash('sha256')
		.update(JSON.stringify([profile, route, delivery, runId ?? null]))
		.digest('hex')
		.slice(0, 32);
	const domain = mailAddressOf(from)?.split('@')[1] ?? 'svc.invalid';
	return `<svc.${name}@${domain}>`;
}
