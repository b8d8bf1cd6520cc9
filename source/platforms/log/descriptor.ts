import type {SenderWorld, TargetKind} from '../target-kind.ts';

/** Maximum length before cleaning, characters; a log record contains less anyway. */
const maxTextLength = 8000;

/** The gateway log: one record per answer, truncated to what a record can hold. The journal has the whole answer. @see manual/delivery-log.md */
export const log = {
	kind: 'log',
	reachesPeople: false,
	afterBreak: 'repeated',
	place: () => 'the log',
	effect: () => 'writes the answer to the log',
	check: () => ({ok: true, value: undefined}),
	// Needs no module: it must work when others fail.
	load: async () => ({connect}),
} as const satisfies TargetKind<unknown, undefined>;

const connect: Awaited<ReturnType<TargetKind['load']>>['connect'] = (_, world: SenderWorld) => ({
	async send({text, route, event, delivery, job, runId}) {
		const whose = job ? `job "${job.name}"` : `route "${route}"`;
		world.log.note(`Answer of ${whose}: ${text.slice(0, maxTextLength)}`, {
			route,
			event,
			delivery,
			job: job?.id,
			run: runId,
		});
		return {place: 'gateway log'};
	},
});
