import {bitbucket} from './bitbucket.ts';
import {discord} from './discord.ts';
import {grafana} from './grafana.ts';
import {linear} from './linear.ts';
import {paddle} from './paddle.ts';
import {pagerduty} from './pagerduty.ts';
import type {SenderPreset, SignatureForm} from './sender.ts';
import {sentry} from './sentry.ts';
import {shopify} from './shopify.ts';
import {slack} from './slack.ts';
import {stripe} from './stripe.ts';
import {telegram} from './telegram.ts';
import {twilio} from './twilio.ts';
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
	grafana,
	paddle,
	pagerduty,
	sentry,
	telegram,
	twilio,
	zendesk,
	zoom,
} as const satisfies Readonly<Record<string, SenderPreset>>;

export type SenderName = keyof typeof senders;

// The keys of the list are its type.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const senderNames = Object.keys(senders) as readonly SenderName[];

/** The sender that `kind` names; `undefined` for a form of a route's own. */
export const senderOf = (kind: SenderName | 'custom' | undefined): SenderPreset | undefined =>
	kind === undefined || kind === 'custom' ? undefined : senders[kind];

/** How the signatures that `spec` names or describes are written. */
export const formOf = (
	spec: {readonly kind: SenderName} | ({readonly kind: 'custom'} & SignatureForm),
): SignatureForm => (spec.kind === 'custom' ? spec : senders[spec.kind].signature);
