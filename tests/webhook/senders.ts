import {createHmac} from 'node:crypto';
import {sign as signHub, verify as verifyHub} from '@octokit/webhooks-methods';
import {Webhook as StandardWebhook} from 'standardwebhooks';
import {Stripe} from 'stripe';
import {Webhook as Svix} from 'svix';
import type {SignatureSpec} from '../../source/config/route.ts';

export type SentHeaders = Readonly<Record<string, string>>;

type Signing = {readonly body: Buffer; readonly secret: string; readonly nowMs: number};

/** A service that sends webhooks: how it signs, and whether its own library (or the algorithm in its documentation) takes a request. */
export type Sender = {
	readonly name: string;
	/** What the route says; nothing for schemes that are recognised. */
	readonly signature?: SignatureSpec;
	/** Header with the signature, lower case. */
	readonly header: string;
	readonly secret: string;
	readonly otherSecret: string;
	/** Several signatures in one header are its way to rotate a secret. */
	readonly separator?: string;
	/** The library works on text: bodies that are no UTF-8 are beyond it. */
	readonly isText: boolean;
	readonly sign: (signing: Signing) => Promise<SentHeaders> | SentHeaders;
	readonly accepts: (signing: Signing & {readonly headers: SentHeaders}) => Promise<boolean>;
};

export const whsec = (text: string) => `whsec_${Buffer.from(text).toString('base64')}`;

const secondsOf = (nowMs: number) => String(Math.floor(nowMs / 1000));

const hmac = (algorithm: string, secret: string, ...parts: ReadonlyArray<string | Buffer>) => {
	const digest = createHmac(algorithm, secret);
	for (const part of parts) {
		digest.update(part);
	}

	return digest;
};

const succeeds = (attempt: () => unknown) => {
	try {
		attempt();
		return true;
	} catch {
		return false;
	}
};

/** A sender whose documentation says: sign again and compare the texts. */
function signedAgain(
	sender: Omit<Sender, 'accepts' | 'isText' | 'secret' | 'otherSecret'> & {
		/** The header with the Unix seconds that must be near. */
		readonly timestampHeader?: string;
	},
): Sender {
	return {
		secret: 'correct horse',
		otherSecret: 'battery staple',
		isText: false,
		...sender,
		async accepts({headers, ...signing}) {
			const {header, timestampHeader} = sender;
			const sentAt =
				timestampHeader === undefined ? signing.nowMs : Number(headers[timestampHeader]) * 1000;
			const expected = await sender.sign({...signing, nowMs: sentAt});
			return (
				Math.abs(sentAt - Math.floor(signing.nowMs / 1000) * 1000) <= 300_000 &&
				headers[header] === expected[header]
			);
		},
	};
}

const standard = (family: 'svix' | 'webhook'): Sender => {
	const Library = family === 'svix' ? Svix : StandardWebhook;
	return {
		name: family === 'svix' ? 'svix' : 'standardwebhooks',
		header: `${family}-signature`,
		secret: whsec('0123456789abcdef0123456789abcdef'),
		otherSecret: whsec('fedcba9876543210fedcba9876543210'),
		separator: ' ',
		isText: true,
		sign: ({body, secret, nowMs}) => ({
			[`${family}-id`]: 'msg_1',
			[`${family}-timestamp`]: secondsOf(nowMs),
			[`${family}-signature`]: new Library(secret).sign('msg_1', new Date(nowMs), body.toString()),
		}),
		accepts: async ({body, secret, headers}) =>
			succeeds(() => new Library(secret).verify(body.toString(), headers, {jsonParse: false})),
	};
};

const customSpec = {
	kind: 'custom',
	header: 'x-acme-signature',
	algorithm: 'sha512',
	prefix: 'sig=',
	encoding: 'base64',
	timestampHeader: 'x-acme-time',
	signed: 'acme {timestamp} {body} ümlaut',
} as const satisfies SignatureSpec;

/** One for every scheme that the receiver knows. */
export const senders: readonly Sender[] = [
	standard('svix'),
	standard('webhook'),
	{
		name: 'octokit',
		header: 'x-hub-signature-256',
		secret: 'correct horse',
		otherSecret: 'battery staple',
		isText: true,
		sign: async ({body, secret}) => ({
			'x-hub-signature-256': await signHub(secret, body.toString()),
		}),
		accepts: async ({body, secret, headers}) =>
			verifyHub(secret, body.toString(), headers['x-hub-signature-256'] ?? '').catch(() => false),
	},
	signedAgain({
		name: 'token',
		header: 'x-gitlab-token',
		sign: ({secret}) => ({'x-gitlab-token': secret}),
	}),
	signedAgain({
		name: 'v2',
		header: 'x-webhook-signature-v2',
		timestampHeader: 'x-webhook-timestamp',
		sign: ({body, secret, nowMs}) => ({
			'x-webhook-timestamp': secondsOf(nowMs),
			'x-webhook-signature-v2': hmac('sha256', secret, `${secondsOf(nowMs)}.`, body).digest('hex'),
		}),
	}),
	signedAgain({
		name: 'v1',
		header: 'x-webhook-signature',
		sign: ({body, secret}) => ({
			'x-webhook-signature': hmac('sha256', secret, body).digest('hex'),
		}),
	}),
	{
		name: 'stripe',
		signature: {kind: 'stripe'},
		header: 'stripe-signature',
		// The library uses the secret as it is written, whatever it looks like.
		secret: whsec('stripe one'),
		otherSecret: whsec('stripe two'),
		separator: ',',
		isText: true,
		sign: ({body, secret, nowMs}) => ({
			'stripe-signature': Stripe.webhooks.generateTestHeaderString({
				payload: body.toString(),
				secret,
				timestamp: Math.floor(nowMs / 1000),
			}),
		}),
		accepts: async ({body, secret, nowMs, headers}) =>
			succeeds(() =>
				Stripe.webhooks.signature?.verifyHeader(
					body.toString(),
					headers['stripe-signature'] ?? '',
					secret,
					300,
					undefined,
					nowMs,
				),
			),
	},
	// https://docs.slack.dev/authentication/verifying-requests-from-slack
	signedAgain({
		name: 'slack',
		signature: {kind: 'slack'},
		header: 'x-slack-signature',
		timestampHeader: 'x-slack-request-timestamp',
		sign: ({body, secret, nowMs}) => ({
			'x-slack-request-timestamp': secondsOf(nowMs),
			'x-slack-signature': `v0=${hmac('sha256', secret, `v0:${secondsOf(nowMs)}:`, body).digest('hex')}`,
		}),
	}),
	// https://shopify.dev/docs/apps/build/webhooks/subscribe/https
	signedAgain({
		name: 'shopify',
		signature: {kind: 'shopify'},
		header: 'x-shopify-hmac-sha256',
		sign: ({body, secret}) => ({
			'x-shopify-hmac-sha256': hmac('sha256', secret, body).digest('base64'),
		}),
	}),
	// https://linear.app/developers/webhooks#securing-webhooks
	signedAgain({
		name: 'linear',
		signature: {kind: 'linear'},
		header: 'linear-signature',
		sign: ({body, secret}) => ({
			'linear-signature': hmac('sha256', secret, body).digest('hex'),
		}),
	}),
	signedAgain({
		name: 'custom',
		signature: customSpec,
		header: customSpec.header,
		timestampHeader: customSpec.timestampHeader,
		sign: ({body, secret, nowMs}) => ({
			'x-acme-time': secondsOf(nowMs),
			'x-acme-signature': `sig=${hmac('sha512', secret, `acme ${secondsOf(nowMs)} `, body, ' ümlaut').digest('base64')}`,
		}),
	}),
];
