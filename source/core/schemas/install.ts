import {z} from 'zod';
import {facts, integer, jsonObject, maybeText, maybeTexts, number, text, yesOrNo} from './parts.ts';

export const installReviewSchema = facts({
	/** What it would be called; the link's name, or one that the person chose. */
	name: text,
	linkName: text,
	kind: z.enum(['program', 'remote']),
	/** The program and its arguments, one by one, references not replaced. For `program`. */
	argv: maybeTexts,
	/** The host that would be asked, in ASCII where that is known. For `remote`. */
	host: maybeText,
	/** What would stand below the name in `config.yaml`, all of it. */
	entry: jsonObject,
	/** What the person should know, the gravest first. Holds strangers' words, not cleaned. */
	cautions: z.array(facts({weight: z.enum(['danger', 'note']), text})),
	/** There is a server of that name: this one would not be installed. */
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
	/** When it is dropped, if nobody answers. */
	expiresAt: number,
}).register(z.globalRegistry, {id: 'WaitingInstall'});

export const offeredInstallSchema = waitingInstallSchema
	.extend({link: text})
	.register(z.globalRegistry, {id: 'OfferedInstall'});
