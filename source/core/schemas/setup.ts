import {z} from 'zod';
import {facts, integer, json, maybe, maybeText, maybeTexts, text, texts, yesOrNo} from './parts.ts';

export const setupDraftSchema = z
	.strictObject({
		enable: maybe,
		host: maybeText,
		port: z.int().min(0).max(65_535).exactOptional(),
		/** The global secret, for routes without their own. */
		secret: maybeText,
		/** Generates the secret when the file is written, and shows it once. */
		makeSecret: maybe,
		/** A first route, in `config.yaml`. */
		route: z.strictObject({name: text, events: maybeTexts, prompt: maybeText}).exactOptional(),
		/** Sets up a platform for answers instead of the receiver, and enables it. `settings`: as written in the file; absent ones keep their value, also within mappings. */
		platform: z.strictObject({name: text, settings: z.record(z.string(), json)}).exactOptional(),
		/** Fingerprint of the plan that a person saw; absent: the file is not compared. */
		fingerprint: maybeText,
	})
	.register(z.globalRegistry, {id: 'SetupDraft'});

export const setupPlanSchema = facts({
	file: text,
	/** The changes in the form of `diff -u` without its first two lines, without secrets. Empty: nothing changes. */
	diff: texts,
	/** Problems that prevent writing the draft; empty: none. */
	problems: texts,
	warnings: texts,
	/** Keys whose change takes effect only after a restart of the gateway. */
	restartNeeded: texts,
	/** Whether the whole file is rewritten, so that the spacing of other lines may change. */
	movesOthers: yesOrNo,
	/** The settings in force. */
	now: facts({enabled: yesOrNo, host: text, port: integer, hasSecret: yesOrNo}),
	/** Fingerprint of the file as it was read. */
	fingerprint: text,
}).register(z.globalRegistry, {id: 'SetupPlan'});

export const writtenSetupSchema = facts({
	file: text,
	/** The generated secret; not shown again. */
	secret: maybeText,
	restartNeeded: texts,
}).register(z.globalRegistry, {id: 'WrittenSetup'});
