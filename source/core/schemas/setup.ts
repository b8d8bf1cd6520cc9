import {z} from 'zod';
import {facts, integer, json, maybe, maybeText, maybeTexts, text, texts, yesOrNo} from './parts.ts';

export const setupDraftSchema = z
	.strictObject({
		enable: maybe,
		host: maybeText,
		port: z.int().min(0).max(65_535).exactOptional(),
		/** Of routes without their own. */
		secret: maybeText,
		/** One is made when it is written, and told once. */
		makeSecret: maybe,
		/** A first route, in `config.yaml`. */
		route: z.strictObject({name: text, events: maybeTexts, prompt: maybeText}).exactOptional(),
		/** A platform that answers go to, instead of the receiver: its settings as they are written, of which those that are absent stay as they are, also in mappings; it is enabled. */
		platform: z.strictObject({name: text, settings: z.record(z.string(), json)}).exactOptional(),
		/** Of the plan that a person saw; absent: whatever the file says now. */
		fingerprint: maybeText,
	})
	.register(z.globalRegistry, {id: 'SetupDraft'});

export const setupPlanSchema = facts({
	file: text,
	/** As `diff -u` without its first two lines; no secret is in it. Empty: nothing changes. */
	diff: texts,
	/** Why it cannot be written; then it is not. */
	problems: texts,
	warnings: texts,
	/** Keys whose change waits for a restart of the gateway. */
	restartNeeded: texts,
	/** The file is written anew, and lines of others may look otherwise. */
	movesOthers: yesOrNo,
	/** What holds now. */
	now: facts({enabled: yesOrNo, host: text, port: integer, hasSecret: yesOrNo}),
	/** Of the file as it was read. */
	fingerprint: text,
}).register(z.globalRegistry, {id: 'SetupPlan'});

export const writtenSetupSchema = facts({
	file: text,
	/** That was made; not told again. */
	secret: maybeText,
	restartNeeded: texts,
}).register(z.globalRegistry, {id: 'WrittenSetup'});
