import {createHash} from 'node:crypto';
import type {EmailConfig} from '../config/config.ts';
import type {Clock} from '../core/clock.ts';
import {isLoopbackHost} from '../core/loopback.ts';
import {addressOf} from './email-target.ts';
import type {OutgoingMessage} from './outgoing-message.ts';
import {outgoingText} from './outgoing-text.ts';
import {smtpFailure} from './smtp-failure.ts';

export type Email = {
	readonly config: EmailConfig;
	readonly message: OutgoingMessage;
	/** Checked addresses. */
	readonly recipients: readonly string[];
	readonly subject: string;
	/** Stops the conversation with the server at once. */
	readonly signal: AbortSignal;
};

const longestText = 500_000;

/** For the whole conversation; the single steps have shorter ones. */
const timeoutMs = 30_000;

const stepTimeoutMs = 10_000;

/**
 * Sends one mail over SMTP, as plain text, within 30 s. Resolves with a line for a person. A repeated try of the same answer carries the same
 * Message-ID, so that mail systems and people recognise it.
 *
 * @throws DeliveryError `smtp_*`, `delivery_timeout`, `delivery_aborted`
 * @see manual/delivery.md
 */
export async function sendEmail(
	{config, message, recipients, subject, signal}: Email,
	{clock, clean}: {readonly clock: Clock; readonly clean: (text: string) => string},
): Promise<string> {
	// Loaded with the first mail: most gateways never send one.
	// Its default export, since the bundle gives packages in the old module format nothing else.
	const {default: nodemailer} = await import('nodemailer');
	const deadline = new AbortController();
	const cancel = clock.after(timeoutMs, () => {
		deadline.abort();
	});
	const transport = nodemailer.createTransport(transportOptions(config));
	try {
		const {rejected} = await transport.sendMail({
			from: config.from,
			to: [...recipients],
			subject,
			text: outgoingText(message.text, longestText),
			messageId: messageIdOf(message, config.from),
			date: new Date(clock.now()),
			// Keeps absence notes from answering a machine. @see RFC 3834
			headers: {'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All'},
			signal: AbortSignal.any([signal, deadline.signal]),
		});
		const refused = rejected.length === 0 ? '' : `, ${rejected.length} refused by the server`;
		return `email to ${recipients.join(', ')}${refused}`;
	} catch (error) {
		throw smtpFailure(error, {
			server: `${config.smtp.host}:${config.smtp.port}`,
			timedOut: deadline.signal.aborted,
			aborted: signal.aborted,
			clean,
		});
	} finally {
		cancel();
		transport.close();
	}
}

function transportOptions({smtp}: EmailConfig) {
	const {host, port, secure, username, password} = smtp;
	const isHere = isLoopbackHost(host);
	return {
		host,
		port,
		secure,
		// A password never crosses a network in the clear, even when somebody strips STARTTLS from the conversation.
		requireTLS: !secure && username !== undefined && !isHere,
		// Mail servers and bridges on this machine sign their own certificates.
		tls: {rejectUnauthorized: !isHere},
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
	const domain = addressOf(from)?.split('@')[1] ?? 'svc.invalid';
	return `<svc.${name}@${domain}>`;
}
