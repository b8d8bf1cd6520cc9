import {z} from 'zod';
import type {AddressScope} from '../../../core/address-scope.ts';
import {parsedJson} from '../../../core/json.ts';
import {escapeLine} from '../../../core/untrusted.ts';
import {isPageForPeople} from '../../wire/address-guard.ts';

/** What a person needs to approve a login on another device, and what svc polls with meanwhile. Texts for the person are escaped. */
export type DeviceCode = {
	readonly deviceCode: string;
	readonly userCode: string;
	/** An https URL, or one of this machine for a local tool server. */
	readonly verificationUri: string;
	/** The same page including the code; always on the same host. */
	readonly verificationUriComplete?: string;
	readonly verificationHost: string;
	readonly lifetimeMs: number;
	readonly intervalMs: number;
};

/** @see RFC 8628 §3.2 */
const defaultIntervalSeconds = 5;
const minIntervalSeconds = 1;

/** For a server that does not give a lifetime. */
const defaultLifetimeSeconds = 600;

/** Longer than a person would type. */
const maxUserCodeLength = 32;
/** The shape of a user code, which excludes sentences: the code is shown within one of svc's sentences. @see RFC 8628 §6.1 */
const userCodeShape = /^(?:[a-z\d]+(?:-[a-z\d]+)*|\d+(?: \d+)*)$/i;
const maxUrlLength = 2000;
const maxHostLength = 300;

const seconds = z.coerce.number().positive().optional().catch(undefined);

const codeShape = z.looseObject({
	device_code: z.string().min(1),
	user_code: z.string().min(1).max(1000),
	verification_uri: z.string().optional(),
	/** The name used by some servers. */
	verification_url: z.string().optional(),
	verification_uri_complete: z.string().optional().catch(undefined),
	expires_in: seconds,
	interval: seconds,
});

/** The code in an answer; `problem`: why it cannot be shown. `home`: the address scope of the tool server. @see RFC 8628 §3.2 */
export function readCode(
	text: string,
	home: AddressScope,
): DeviceCode | {readonly problem: string} {
	const parsed = codeShape.safeParse(parsedJson(text));
	if (!parsed.success) {
		return {problem: 'the answer of its authorization server holds no code'};
	}

	const {data} = parsed;
	const {user_code: userCode} = data;
	if (userCode.length > maxUserCodeLength || !userCodeShape.test(userCode)) {
		return {
			problem: `its authorization server gives ${JSON.stringify(escapeLine(userCode, 40))} as the code to type: a code is letters and digits, with hyphens, at most ${maxUserCodeLength} characters`,
		};
	}

	const page = pageOf(data.verification_uri ?? data.verification_url ?? '', home);
	if (!page) {
		return {problem: 'its authorization server names no https:// page where the code is typed'};
	}

	const complete = pageOf(data.verification_uri_complete ?? '', home);
	return {
		deviceCode: data.device_code,
		userCode,
		verificationUri: page.href,
		...(complete?.host === page.host && {verificationUriComplete: complete.href}),
		verificationHost: escapeLine(page.host, maxHostLength),
		lifetimeMs: (data.expires_in ?? defaultLifetimeSeconds) * 1000,
		intervalMs: Math.max(data.interval ?? defaultIntervalSeconds, minIntervalSeconds) * 1000,
	};
}

/** A URL without control characters, which the parser encodes, and without user info, which could be mistaken for a host. */
function pageOf(text: string, home: AddressScope): URL | undefined {
	const url = text.length <= maxUrlLength ? URL.parse(text) : null;
	return url && isPageForPeople(url, home) ? url : undefined;
}
