import {bitbucket} from './bitbucket.ts';
import {discord} from './discord.ts';
import {dropbox} from './dropbox.ts';
import {grafana} from './grafana.ts';
import {hubspot} from './hubspot.ts';
import {linear} from './linear.ts';
import {meta} from './meta.ts';
import {okta} from './okta.ts';
import {paddle} from './paddle.ts';
import {pagerduty} from './pagerduty.ts';
import type {SenderPreset, SignatureForm} from './sender.ts';
import {sentry} from './sentry.ts';
import {shopify} from './shopify.ts';
import {slack} from './slack.ts';
import {stripe} from './stripe.ts';
import {telegram} from './telegram.ts';
import {twilio} from './twilio.ts';
import {twitch} from './twitch.ts';
import {zendesk} from './zendesk.ts';
import {zoom} from './zoom.ts';

/** The senders that a route may name, by that name. Schema, checks, signatures of test events and the manual follow from this list. */
export const senders = {
	stripe,
	slack,
	shopify,
	linear,
	bitbucket,
	discord,
	dropbox,
	grafana,
	hubspot,
	meta,
	okta,
	paddle,
	pagerduty,
	sentry,
	telegram,
	twilio,
	twitch,
	zendesk,
	zoom,
} as const satisfies Readonly<Record<string, SenderPreset>>;

export type SenderName = keyof typeof senders;

// The keys of the list are its type.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const senderNames = Object.keys(senders) as readonly SenderName[];

/** The sender named `kind`; `undefined` for a custom scheme. */
export const senderOf = (kind: SenderName | 'custom' | undefined): SenderPreset | undefined =>
	kind === undefined || kind === 'custom' ? undefined : senders[kind];

/** The form of the signatures that `spec` names or describes. */
export function formOf(
	spec:
		| {readonly kind: SenderName; readonly header?: string}
		| ({readonly kind: 'custom'} & SignatureForm),
): SignatureForm {
	if (spec.kind === 'custom') {
		return spec;
	}

	const {signature} = senders[spec.kind];
	return spec.header === undefined ? signature : {...signature, header: spec.header};
}

/** Whether the secrets of a route with `spec` are public keys in hex. */
export const takesHexKeys = (spec: Parameters<typeof formOf>[0] | undefined): boolean =>
	spec !== undefined && 'ed25519' in formOf(spec);
