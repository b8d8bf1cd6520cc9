import {codeOf, messageOf} from '../../core/errors.ts';
import {isUnknownAuthority} from '../../core/network-variables.ts';
import {DeliveryError, type Failure} from '../delivery-error.ts';

/** What may go wrong with a mail server, and what that means for a delivery. */
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

export type SmtpCircumstances = {
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
const byName: Readonly<Record<string, SmtpCode>> = {
	ETLS: 'smtp_insecure',
	EAUTH: 'smtp_not_authenticated',
	ENOAUTH: 'smtp_not_authenticated',
	EDNS: 'smtp_unreachable',
	ECONNECTION: 'smtp_unreachable',
	ECONNREFUSED: 'smtp_unreachable',
	ESOCKET: 'smtp_unreachable',
	ETIMEDOUT: 'smtp_unreachable',
};

/** What a failed conversation with a mail server means. */
export function smtpFailure(
	error: unknown,
	{server, isBegun, timedOut, aborted, clean}: SmtpCircumstances,
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
	const advice = isUnknownAuthority(error) ? ': set tls.ca to the PEM file of its CA' : '';
	return new DeliveryError(code, say(`${why}${advice}`), failures[code]);
}

function codeOfSmtp(error: unknown): SmtpCode {
	const name = codeOf(error);
	const status = statusOf(error);
	if (status >= 400 && status < 500) {
		return 'smtp_temporary';
	}

	// A refused STARTTLS and a wrong password are answered with 5xx, too.
	if (Object.hasOwn(byName, name)) {
		return byName[name] ?? 'smtp_failed';
	}

	return status >= 500 ? 'smtp_rejected' : 'smtp_failed';
}

function statusOf(error: unknown): number {
	const status =
		typeof error === 'object' && error !== null && 'responseCode' in error ? error.responseCode : 0;
	return typeof status === 'number' ? status : 0;
}
