import {codeOf, messageOf} from '../../core/errors.ts';
import {isLoopbackHost} from '../../core/hosts.ts';
import {isUnknownAuthority} from '../../core/network-variables.ts';
import {DeliveryError, type Failure} from '../delivery-error.ts';
import type {SenderWorld} from '../target-kind.ts';

/** Failures of mail servers, and what they mean for a delivery. */
const failures = {
	smtp_unreachable: {passes: true, isDown: true},
	smtp_not_authenticated: {passes: true, isDown: true},
	smtp_insecure: {passes: true, isDown: true},
	/** 4xx. */
	smtp_temporary: {passes: true},
	/** 5xx. */
	smtp_rejected: {},
	smtp_failed: {passes: true},
} as const satisfies Readonly<Record<string, Failure>>;

type SmtpCode = keyof typeof failures;

type Circumstances = {
	/** `host:port`. */
	readonly server: string;
	/** Whether a mail was begun, to which the server has not answered. */
	readonly isBegun: boolean;
	readonly timedOut: boolean;
	readonly aborted: boolean;
	/** Makes what the server said fit for a message. */
	readonly clean: (text: string) => string;
};

/** Names that the mail library gives to failures that are not about the message. */
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

/** Mail servers and bridges on this machine sign their own certificates; others need one of a known CA. */
export const tlsOf = (host: string, secureContext: SenderWorld['secureContext']) =>
	isLoopbackHost(host)
		? {rejectUnauthorized: false}
		: {rejectUnauthorized: true, ...(secureContext && {secureContext: secureContext()})};

/** What to do where the certificate of a server is of an unknown CA; else empty. */
export const certificateAdvice = (error: unknown): string =>
	isUnknownAuthority(error) ? ': set tls.ca to the PEM file of its CA' : '';

/** A failed conversation with a mail server as a failed delivery. */
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
	// A refused STARTTLS and a wrong password are answered with 5xx, too.
	return status >= 400 && status < 500
		? 'smtp_temporary'
		: (byName.get(codeOf(error)) ?? (status >= 500 ? 'smtp_rejected' : 'smtp_failed'));
}

function statusOf(error: unknown): number {
	const status =
		typeof error === 'object' && error !== null && 'responseCode' in error ? error.responseCode : 0;
	return typeof status === 'number' ? status : 0;
}
