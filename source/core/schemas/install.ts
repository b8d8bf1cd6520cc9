import {z} from 'zod';
import {facts, integer, jsonObject, maybeText, maybeTexts, number, text, yesOrNo} from './parts.ts';

export const installReviewSchema = facts({
	/** The name of the new server: the one of the link, or one that the person chose. */
	name: text,
	linkName: text,
	kind: z.enum(['program', 'remote']),
	/** The program and its arguments, one by one, references not replaced. For `program`. */
	argv: maybeTexts,
	/** The host of the server, in ASCII where that is known. For `remote`. */
	host: maybeText,
	/** The whole entry below the name in `config.yaml`. */
	entry: jsonObject,
	/** Warnings for the person, the gravest first. Holds untrusted text, not cleaned. */
	cautions: z.array(facts({weight: z.enum(['danger', 'note']), text})),
	/** A server of that name exists: this one is not installed. */
	exists: yesOrNo,
	/** A name that is free, where `exists`. */
	freeName: maybeText,
}).register(z.globalRegistry, {id: 'InstallReview'});
export const waitingInstallSchema = facts({
	/** Counts up while the gateway runs. */
	id: integer,
	/** As the link calls it. */
	name: text,
	/** Milliseconds since 1970. */
	askedAt: number,
	/** When the request expires without an answer. */
	expiresAt: number,
}).register(z.globalRegistry, {id: 'WaitingInstall'});

export const offeredInstallSchema = waitingInstallSchema
	.extend({link: text})
	.register(z.globalRegistry, {id: 'OfferedInstall'});
