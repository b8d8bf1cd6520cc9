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
	/** It sends the secret itself: nothing is signed. */
	readonly isToken?: true;
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

/** Unix seconds, or RFC 3339. */
const momentOf = (text: string): number =>
	/^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);

/** A sender whose documentation says: sign again and compare the texts. */
function signedAgain(
	sender: Omit<Sender, 'accepts' | 'isText' | 'secret' | 'otherSecret'> & {
		readonly secret?: string;
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
				timestampHeader === undefined ? signing.nowMs : momentOf(headers[timestampHeader] ?? '');
			if (Number.isNaN(sentAt)) {
				return false;
			}

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
		isToken: true,
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
	// https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/#Secure-webhooks
	signedAgain({
		name: 'bitbucket',
		signature: {kind: 'bitbucket'},
		header: 'x-hub-signature',
		sign: ({body, secret}) => ({
			'x-hub-signature': `sha256=${hmac('sha256', secret, body).digest('hex')}`,
		}),
	}),
	// https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/#hmac-signature
	signedAgain({
		name: 'grafana',
		signature: {kind: 'grafana'},
		header: 'x-grafana-alerting-signature',
		sign: ({body, secret}) => ({
			'x-grafana-alerting-signature': hmac('sha256', secret, body).digest('hex'),
		}),
	}),
	// https://developer.paddle.com/webhooks/signature-verification
	{
		name: 'paddle',
		signature: {kind: 'paddle'},
		header: 'paddle-signature',
		secret: 'pdl_ntfset_one',
		otherSecret: 'pdl_ntfset_two',
		separator: ';',
		isText: false,
		sign: ({body, secret, nowMs}) => ({
			'paddle-signature': `ts=${secondsOf(nowMs)};h1=${hmac('sha256', secret, `${secondsOf(nowMs)}:`, body).digest('hex')}`,
		}),
		async accepts({body, secret, nowMs, headers}) {
			const items = (headers['paddle-signature'] ?? '').split(';').map(item => item.split('='));
			const [time = ''] = items.flatMap(([name, value = '']) => (name === 'ts' ? [value] : []));
			const expected = hmac('sha256', secret, `${time}:`, body).digest('hex');
			return (
				Math.abs(Number(time) - Math.floor(nowMs / 1000)) <= 300 &&
				items.some(([name, value]) => name === 'h1' && value === expected)
			);
		},
	},
	// https://developer.pagerduty.com/docs/verifying-webhook-signatures
	{
		name: 'pagerduty',
		signature: {kind: 'pagerduty'},
		header: 'x-pagerduty-signature',
		secret: 'correct horse',
		otherSecret: 'battery staple',
		separator: ',',
		isText: false,
		sign: ({body, secret}) => ({
			'x-pagerduty-signature': `v1=${hmac('sha256', secret, body).digest('hex')}`,
		}),
		async accepts({body, secret, headers}) {
			const expected = `v1=${hmac('sha256', secret, body).digest('hex')}`;
			const signatures = (headers['x-pagerduty-signature'] ?? '').split(',');
			return signatures.some(signature => signature.trim() === expected);
		},
	},
	// https://docs.sentry.io/organization/integrations/integration-platform/webhooks/#verifying-the-signature
	signedAgain({
		name: 'sentry',
		signature: {kind: 'sentry'},
		header: 'sentry-hook-signature',
		sign: ({body, secret}) => ({
			'sentry-hook-signature': hmac('sha256', secret, body).digest('hex'),
		}),
	}),
	// https://core.telegram.org/bots/api#setwebhook
	signedAgain({
		name: 'telegram',
		isToken: true,
		signature: {kind: 'telegram'},
		header: 'x-telegram-bot-api-secret-token',
		sign: ({secret}) => ({'x-telegram-bot-api-secret-token': secret}),
	}),
	// https://developer.zendesk.com/documentation/webhooks/verifying/
	signedAgain({
		name: 'zendesk',
		signature: {kind: 'zendesk'},
		header: 'x-zendesk-webhook-signature',
		timestampHeader: 'x-zendesk-webhook-signature-timestamp',
		sign({body, secret, nowMs}) {
			const time = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
			return {
				'x-zendesk-webhook-signature-timestamp': time,
				'x-zendesk-webhook-signature': hmac('sha256', secret, time, body).digest('base64'),
			};
		},
	}),
	// https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events
	signedAgain({
		name: 'zoom',
		signature: {kind: 'zoom'},
		header: 'x-zm-signature',
		timestampHeader: 'x-zm-request-timestamp',
		sign: ({body, secret, nowMs}) => ({
			'x-zm-request-timestamp': secondsOf(nowMs),
			'x-zm-signature': `v0=${hmac('sha256', secret, `v0:${secondsOf(nowMs)}:`, body).digest('hex')}`,
		}),
	}),
	// https://developers.facebook.com/docs/graph-api/webhooks/getting-started#validate-payloads
	signedAgain({
		name: 'meta',
		signature: {kind: 'meta'},
		header: 'x-hub-signature-256',
		sign: ({body, secret}) => ({
			'x-hub-signature-256': `sha256=${hmac('sha256', secret, body).digest('hex')}`,
		}),
	}),
	// https://www.dropbox.com/developers/reference/webhooks#notifications
	signedAgain({
		name: 'dropbox',
		signature: {kind: 'dropbox'},
		header: 'x-dropbox-signature',
		sign: ({body, secret}) => ({
			'x-dropbox-signature': hmac('sha256', secret, body).digest('hex'),
		}),
	}),
	// https://developer.okta.com/docs/concepts/event-hooks/
	signedAgain({
		name: 'okta',
		isToken: true,
		signature: {kind: 'okta'},
		header: 'authorization',
		sign: ({secret}) => ({authorization: secret}),
	}),
	// https://dev.twitch.tv/docs/eventsub/handling-webhook-events/#verifying-the-event-message
	signedAgain({
		name: 'twitch',
		signature: {kind: 'twitch'},
		header: 'twitch-eventsub-message-signature',
		timestampHeader: 'twitch-eventsub-message-timestamp',
		sign({body, secret, nowMs}) {
			const [id, time] = ['msg-1', new Date(nowMs).toISOString().replace('Z', '123456Z')];
			return {
				'twitch-eventsub-message-id': id,
				'twitch-eventsub-message-timestamp': time,
				'twitch-eventsub-message-signature': `sha256=${hmac('sha256', secret, id, time, body).digest('hex')}`,
			};
		},
	}),
	// https://developer.calendly.com/api-docs/ZG9jOjM2MzE2MDM4-webhook-signatures
	{
		name: 'calendly',
		signature: {kind: 'stripe', header: 'calendly-webhook-signature'},
		header: 'calendly-webhook-signature',
		secret: 'correct horse',
		otherSecret: 'battery staple',
		separator: ',',
		isText: false,
		sign: ({body, secret, nowMs}) => ({
			'calendly-webhook-signature': `t=${secondsOf(nowMs)},v1=${hmac('sha256', secret, `${secondsOf(nowMs)}.`, body).digest('hex')}`,
		}),
		async accepts({body, secret, nowMs, headers}) {
			const items = (headers['calendly-webhook-signature'] ?? '')
				.split(',')
				.map(item => item.split('='));
			const [time = ''] = items.flatMap(([name, value = '']) => (name === 't' ? [value] : []));
			const expected = hmac('sha256', secret, `${time}.`, body).digest('hex');
			return (
				Math.abs(Number(time) - Math.floor(nowMs / 1000)) <= 300 &&
				items.some(([name, value]) => name === 'v1' && value === expected)
			);
		},
	},
	// RFC 6750 §2.1
	signedAgain({
		name: 'bearer',
		isToken: true,
		signature: {kind: 'custom', header: 'authorization', prefix: 'Bearer', token: true},
		header: 'authorization',
		sign: ({secret}) => ({authorization: `Bearer ${secret}`}),
	}),
	// RFC 7617 §2
	signedAgain({
		name: 'basic',
		isToken: true,
		signature: {kind: 'custom', header: 'authorization', prefix: 'Basic ', token: true},
		header: 'authorization',
		secret: 'svc:p\u00e4ssword',
		sign: ({secret}) => ({
			authorization: `Basic ${Buffer.from(secret).toString('base64')}`,
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
