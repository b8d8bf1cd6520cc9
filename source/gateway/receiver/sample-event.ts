import {randomUUID} from 'node:crypto';
import type {Route} from '../../config/route.ts';
import {type Clock, systemClock} from '../../core/clock.ts';
import type {ReceiverAnswer} from '../../core/delivery.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject, type JsonObject, parsedJson} from '../../core/json.ts';
import {quotedWord} from '../../core/shell-words.ts';
import {eventOf, namesFor, type NamingRoute} from '../../webhook/identity.ts';
import {signSample} from './sign-sample.ts';
import type {SampleSignature} from './sign-sample.ts';

/** Names the event unless the route's sender uses another header. */
const generalHeader = 'x-github-event';

/** A request like one from a code host. */
export type SampleEvent = {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** `false` when the route has only public keys: the receiver will refuse the request. */
	readonly isSigned: boolean;
	readonly secretHeader?: SampleSignature['secretHeader'];
};

/** The invented repository and sender of test events, in GitHub's format. */
const origin = {
	repository: {
		name: 'api',
		full_name: 'acme/api',
		private: false,
		html_url: 'https://github.example/acme/api',
		default_branch: 'main',
	},
	sender: {login: 'alex', type: 'User'},
};

const samplePullRequest = {
	action: 'opened',
	number: 7,
	pull_request: {
		number: 7,
		state: 'open',
		draft: false,
		title: 'Retry the upload when the connection drops',
		body: 'Uploads over mobile networks fail now and then. This retries them three times.',
		html_url: 'https://github.example/acme/api/pull/7',
		user: {login: 'alex', type: 'User'},
		head: {ref: 'retry-upload', sha: '4f1c2d8e9b7a60513c2f8d1e6a9b0c7d5e3f2a18'},
		base: {ref: 'main', sha: '9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b'},
		additions: 42,
		deletions: 6,
		changed_files: 3,
	},
	...origin,
};

const sampleIssue = {
	action: 'opened',
	issue: {
		number: 8,
		state: 'open',
		title: 'An upload that breaks off is lost',
		body: 'When the connection drops, the file has to be chosen again.',
		html_url: 'https://github.example/acme/api/issues/8',
		user: {login: 'alex', type: 'User'},
		labels: [{name: 'bug'}],
	},
	...origin,
};

const samplePush = {
	ref: 'refs/heads/main',
	before: '9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b',
	after: '4f1c2d8e9b7a60513c2f8d1e6a9b0c7d5e3f2a18',
	compare: 'https://github.example/acme/api/compare/9a8b7c6d5e4f...4f1c2d8e9b7a',
	pusher: {name: 'alex'},
	head_commit: {
		id: '4f1c2d8e9b7a60513c2f8d1e6a9b0c7d5e3f2a18',
		message: 'Retry the upload when the connection drops',
		author: {name: 'Alex'},
	},
	commits: [
		{
			id: '4f1c2d8e9b7a60513c2f8d1e6a9b0c7d5e3f2a18',
			message: 'Retry the upload when the connection drops',
			author: {name: 'Alex'},
		},
	],
	...origin,
};

/** Bodies by event name; for other events, a pull request with that name is used. */
const samples: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
	['pull_request', samplePullRequest],
	['issues', sampleIssue],
	['push', samplePush],
]);

/**
 * A test event for `route`, signed as its senders sign (like GitHub, unless the route says otherwise). Its event is the requested one; else `pull_request` if the route
 * accepts it; else the first that the route accepts. No event header is sent with a body that names its event, or for a sender that has no such header. A signature with a
 * timestamp (`now`, milliseconds since 1970) is valid for five minutes.
 */
export function sampleRequest(
	route: NamingRoute & Pick<Route, 'events' | 'secrets' | 'insecure'>,
	options: {readonly payload?: string; readonly event?: string; readonly now?: number} = {},
): SampleEvent {
	const {payload, event, now = systemClock.now()} = options;
	const name = event ?? eventFor(route.events);
	const {eventFields: [field] = [], eventHeaders: [header = generalHeader] = []} = namesFor(
		route,
		{},
	);
	const body = payload ?? JSON.stringify(sampleOf(name, field));
	const isNamed =
		payload === undefined
			? field !== undefined
			: event === undefined && namesItself(route, payload);
	const signature = route.insecure ? {headers: {}} : signSample(route, body, now);
	return {
		body,
		headers: {
			'content-type': 'application/json',
			'user-agent': 'svc-test-event',
			...(!isNamed && {[header]: name}),
			'x-github-delivery': randomUUID(),
			...signature?.headers,
		},
		isSigned: signature !== undefined,
		...(signature?.secretHeader && {secretHeader: signature.secretHeader}),
	};
}

function sampleOf(name: string, field: string | undefined): JsonObject {
	if (field !== undefined) {
		return withMember(samplePullRequest, field.split('.'), name);
	}

	return samples.get(name) ?? {event_type: name, ...samplePullRequest};
}

/** Returns `object` with `text` set at a path. */
function withMember(
	object: JsonObject,
	[key = '', ...path]: readonly string[],
	text: string,
): JsonObject {
	const member = Object.hasOwn(object, key) ? object[key] : undefined;
	return {
		...object,
		[key]: path.length === 0 ? text : withMember(isJsonObject(member) ? member : {}, path, text),
	};
}

/** Whether the receiver would find an event name in the body. A body that is not JSON is sent unchanged. */
function namesItself(route: NamingRoute, body: string): boolean {
	const payload = parsedJson(body);
	return isJsonObject(payload) && eventOf(route, {headers: {}, payload}).source !== 'none';
}

const eventFor = (events: readonly string[]): string =>
	events.length === 0 || events.includes('pull_request')
		? 'pull_request'
		: (events[0] ?? 'pull_request');

/** The address under which this machine reaches a receiver that listens on every address. */
export const reachableUrl = (url: string): string =>
	url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

/** Time limit of the receiver's answer, milliseconds; `deliver_only` routes wait for their target. */
const answerMs = 30_000;

/** Posts `request` to `url` over HTTP, like a sender. Rejects if no answer comes within 30 seconds. */
export async function sendRequest(
	{url, clock}: {readonly url: string; readonly clock: Clock},
	{headers, body}: Pick<SampleEvent, 'headers' | 'body'>,
): Promise<ReceiverAnswer> {
	const controller = new AbortController();
	const cancel = clock.after(answerMs, () => {
		controller.abort(
			new SvcError('receiver_silent', `Cannot get an answer from "${url}" within 30 s`),
		);
	});
	try {
		const response = await fetch(url, {
			method: 'POST',
			headers,
			body,
			redirect: 'manual',
			signal: controller.signal,
		});
		return {status: response.status, body: await response.text()};
	} finally {
		cancel();
	}
}

/**
 * A shell command that sends `request` to `url`. It contains the computed signature, never the secret (if a sender sends the secret itself, the shell inserts `$SECRET`),
 * and creates a new delivery identifier each time it is run.
 */
export function curlLine(
	url: string,
	{headers, body, secretHeader}: Pick<SampleEvent, 'headers' | 'body' | 'secretHeader'>,
): string {
	const flags = Object.entries(headers)
		.filter(([name]) => !['x-github-delivery', 'user-agent', secretHeader?.name].includes(name))
		.map(([name, value]) => `-H ${quotedWord(`${name}: ${value}`)}`);
	const secret =
		secretHeader &&
		`-H ${quotedWord(`${secretHeader.name}: ${secretHeader.before}`)}${secretHeader.shell}`;
	return [
		'curl -sS',
		quotedWord(url),
		...flags,
		...(secret === undefined ? [] : [secret]),
		'-H "x-github-delivery: test-$(date +%s%N)"',
		`--data-binary ${quotedWord(body)}`,
	].join(' ');
}
