import {codeOf, messageOf} from '../../core/errors.ts';
import {isLoopbackHost} from '../../core/hosts.ts';
import {isUnknownAuthority} from '../../core/network-variables.ts';
import {DeliveryError, type Failure} from '../delivery-error.ts';
import type {SenderWorld} from '../target-kind.ts';

/** Failures of mail servers and their consequences for a delivery. */
const failures = {
	smtp_unreachable: {passes: true, isDown: true},
	smtp_not_authenticated: {passes: true, isDown: true},
	smtp_insecure: {passes: true, isDown: true},
	/** Statuses 4xx. */
	smtp_temporary: {passes: true},
	/** Statuses 5xx. */
	smtp_rejected: {},
	smtp_failed: {passes: true},
} as const satisfies Readonly<Record<string, Failure>>;

type SmtpCode = keyof typeof failures;

type Circumstances = {
	/** As `host:port`. */
	readonly server: string;
	/** Whether sending a mail has begun, which the server has not answered. */
	readonly isBegun: boolean;
	readonly timedOut: boolean;
	readonly aborted: boolean;
	/** Makes the server's text safe for a message. */
	readonly clean: (text: string) => string;
};

/** Error names of the mail library that do not concern the message. */
const byName = new Map<string, SmtpCode>(
	Object.entries({
		ETLS: 'smtp_insecure',
		EAUTH: 'smtp_not_authenticated',
		ENOAUTH: 'smtp_not_authenticated',
		EDNS: 'smtp_unreachable',
		ECONNECTION: 'smtp_unreachable',
		ECONNREFUSED: 'smtp_unreachable',
		ESOCKET: 'smtp_unreachable',
		ETIMEDOUT: 'smtp_unreachable',
	} as const),
);

/** TLS options: mail servers and bridges on this machine use self-signed certificates; others need one of a trusted CA. */
export const tlsOf = (host: string, secureContext: SenderWorld['secureContext']) =>
	isLoopbackHost(host)
		? {rejectUnauthorized: false}
		: {rejectUnauthorized: true, ...(secureContext && {secureContext: secureContext()})};

/** Advice if a server's certificate comes from an unknown CA, otherwise empty. */
export const certificateAdvice = (error: unknown): string =>
	isUnknownAuthority(error) ? ': set tls.ca to the PEM file of its CA' : '';

/** Converts a failed conversation with a mail server to a failed delivery. */
export function smtpFailure(
	error: unknown,
	{server, isBegun, timedOut, aborted, clean}: Circumstances,
): DeliveryError {
	const say = (reason: string) => `Cannot send mail through "${server}": ${clean(reason)}`;
	const why = timedOut
		? 'the server was not done in time'
		: aborted
			? 'the conversation was ended'
			: messageOf(error);
	if (isBegun && (timedOut || aborted || statusOf(error) === 0)) {
		return new DeliveryError('delivery_uncertain', say(`${why}; the mail may have been sent`));
	}

	if (timedOut || aborted) {
		return new DeliveryError(timedOut ? 'delivery_timeout' : 'delivery_aborted', say(why));
	}

	const code = codeOfSmtp(error);
	return new DeliveryError(code, say(why + certificateAdvice(error)), failures[code]);
}

function codeOfSmtp(error: unknown): SmtpCode {
	const status = statusOf(error);
	// A refused STARTTLS or a wrong password also has a status of 5xx.
	return status >= 400 && status < 500
		? 'smtp_temporary'
		: (byName.get(codeOf(error)) ?? (status >= 500 ? 'smtp_rejected' : 'smtp_failed'));
}

function statusOf(error: unknown): number {
	const status =
		typeof error === 'object' && error !== null && 'responseCode' in error ? error.responseCode : 0;
	return typeof status === 'number' ? status : 0;
}
