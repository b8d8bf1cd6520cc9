import {z} from 'zod';
import {facts, integer, jsonObject, maybeText, maybeTexts, number, text, yesOrNo} from './parts.ts';

export const installReviewSchema = facts({
	/** Name of the new server, from the link or chosen by the person. */
	name: text,
	linkName: text,
	kind: z.enum(['program', 'remote']),
	/** For `program`: the program and its arguments as a list, with references not replaced. */
	argv: maybeTexts,
	/** For `remote`: the host of the server, in ASCII if that form is known. */
	host: maybeText,
	/** The whole entry below the name in `config.yaml`. */
	entry: jsonObject,
	/** Warnings for the person, most severe first. Holds untrusted text, not cleaned. */
	cautions: z.array(facts({weight: z.enum(['danger', 'note']), text})),
	/** Whether a server of that name exists; this one is then not installed. */
	exists: yesOrNo,
	/** If `exists`: an unused name. */
	freeName: maybeText,
}).register(z.globalRegistry, {id: 'InstallReview'});
export const waitingInstallSchema = facts({
	/** Counted up from the start of the gateway. */
	id: integer,
	/** Name of the server in the link. */
	name: text,
	/** Milliseconds since 1970. */
	askedAt: number,
	/** When the request expires without an answer. */
	expiresAt: number,
}).register(z.globalRegistry, {id: 'WaitingInstall'});

export const offeredInstallSchema = waitingInstallSchema
	.extend({link: text})
	.register(z.globalRegistry, {id: 'OfferedInstall'});
