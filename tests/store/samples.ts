import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {StoredDelivery} from '../../source/core/delivery.ts';
import {idOfNumber} from '../../source/core/ids.ts';
import type {RunPlan, TranscriptEntry} from '../../source/core/run.ts';
import type {Intake, Lease, Store} from '../../source/store/port.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** When every test begins, milliseconds since 1970. */
export const startMs = 1_700_000_000_000;

let counter = 0;

/** A delivery that was accepted, with an identifier of its own. */
export function sampleDelivery(overrides: Partial<StoredDelivery> = {}): StoredDelivery {
	counter += 1;
	const receivedAt = overrides.receivedAt ?? startMs;
	const body = new TextEncoder().encode('{"ref":"refs/heads/main"}');
	return {
		id: idOfNumber(receivedAt * 2048 + counter),
		profile: 'default',
		route: 'github',
		event: 'push',
		deliveryId: `delivery-${counter}`,
		idSource: 'x-github-delivery',
		status: 202,
		outcome: 'accepted',
		receivedAt,
		durationMs: 1.5,
		bodyBytes: body.byteLength,
		flags: 0,
		trace: [{step: 'signature', verdict: 'pass', detail: 'X-Hub-Signature-256'}],
		headers: {'content-type': 'application/json'},
		body,
		...overrides,
	};
}

export const samplePlan: RunPlan = {
	prompt: 'Look at this push',
	target: {kind: 'forge_comment', extra: {repo: 'acme/api', pr_number: '7'}},
	skills: ['review'],
	toolsets: ['svc-webhook'],
	mirrorToSession: true,
};

export const logPlan: RunPlan = {...samplePlan, target: {kind: 'log', extra: {}}};

export type Entry = Parameters<Intake['accept']>[0];

export const sampleEntry = (
	overrides: Partial<StoredDelivery> = {},
	rest: Partial<Entry> = {},
): Entry => ({
	delivery: sampleDelivery(overrides),
	plan: samplePlan,
	maxQueued: 1000,
	idempotencyMs: hourMs,
	...rest,
});

export const sampleEntryOfTranscript = (text: string): TranscriptEntry => ({
	at: startMs,
	kind: 'text',
	text,
});

/** Accepts a delivery; its run number. */
export async function acceptRun(store: Store, entry = sampleEntry()): Promise<number> {
	const accepted = await store.intake.accept(entry);
	if (accepted.kind !== 'accepted') {
		throw new Error(`the sample was not accepted but ${accepted.kind}`);
	}

	return accepted.runId;
}

/** The windows of a route's groups: 30 s of quiet, 300 s at most. */
export const sampleWindow = {windowMs: 30_000, maxWaitMs: 300_000};

/** An event that waits in the group of `key`. */
export const groupedEntry = (
	key: string,
	overrides: Partial<StoredDelivery> = {},
	rest: Partial<Entry> = {},
): Entry =>
	sampleEntry({outcome: 'coalesced', ...overrides}, {group: {...sampleWindow, key}, ...rest});

/** Accepts an event that is to wait; its group, and the one that made room for it. */
export async function acceptGrouped(store: Store, entry = groupedEntry('acme/api#7')) {
	const accepted = await store.intake.accept(entry);
	if (accepted.kind !== 'coalesced') {
		throw new Error(`the sample was not coalesced but ${accepted.kind}`);
	}

	return accepted;
}

export const sampleJob = {profile: 'default', id: 'job_abcd1234', name: 'nightly'};

/** Fires a job; its run number. */
export async function fireRun(
	store: Store,
	firing: Partial<Parameters<Store['jobs']['fire']>[0]> = {},
): Promise<number> {
	const fired = await store.jobs.fire({job: sampleJob, plan: logPlan, maxQueued: 1000, ...firing});
	if (fired.kind !== 'fired') {
		throw new Error(`the sample did not fire but was ${fired.kind}`);
	}

	return fired.runId;
}

/** Leases the run that is due first. */
export async function leaseOne(store: Store, leaseMs = 60_000): Promise<Lease> {
	const [lease] = await store.runs.lease(1, leaseMs);
	if (!lease) {
		throw new Error('no run is due');
	}

	return lease;
}

export const sampleAnswer = {text: 'All good', model: 'gpt-test', toolCalls: 2};

/** A folder that goes away with the scope. */
export function temporaryFolder(): {readonly path: string; [Symbol.dispose](): void} {
	const path = mkdtempSync(join(tmpdir(), 'svc-store-'));
	return {
		path,
		[Symbol.dispose]() {
			rmSync(path, {recursive: true, force: true});
		},
	};
}
