import {linear} from './linear.ts';
import type {SenderPreset} from './sender.ts';
import {shopify} from './shopify.ts';
import {slack} from './slack.ts';
import {stripe} from './stripe.ts';

/** The senders that a route may name, by that name. Schema, checks, signatures of test events and the manual follow from this list. */
export const senders = {stripe, slack, shopify, linear} as const satisfies Readonly<
	Record<string, SenderPreset>
>;

export type SenderName = keyof typeof senders;

// The keys of the list are its type.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const senderNames = Object.keys(senders) as readonly SenderName[];

/** The sender that `kind` names; `undefined` for a form of a route's own. */
export const senderOf = (kind: SenderName | 'custom' | undefined): SenderPreset | undefined =>
	kind === undefined || kind === 'custom' ? undefined : senders[kind];
