import {describe, expect, test} from 'vitest';
import type {Documents} from '../../source/store/document-port.ts';
import type {Store} from '../../source/store/port.ts';
import type {StoreNote} from '../../source/store/shared-port.ts';
import type {Use, UseTwo} from './contract.ts';

const hook = {kind: 'subscription', profile: 'default', name: 'hook'};
const nightly = {kind: 'job', profile: 'default', name: 'nightly'};

const documentsOf = ({documents}: Store): Documents => {
	if (!documents) {
		throw new Error('this store shares no documents');
	}

	return documents;
};

const changed = {code: 'document_changed'};

/** What an adapter that several gateways share must do with what people edit. */
export function describeDocuments(name: string, use: Use, useTwo: UseTwo): void {
	describe(`${name}: documents`, () => {
		test(
			'a document is there by its kind, profile and name, also after a crash, until it is removed',
			use(async (store, clock, home) => {
				const documents = documentsOf(store);
				const data = {events: ['push'], prompt: 'nul \u0000, half \uD800'};
				const version = await documents.put({...hook, data});
				const other = await documents.put({...hook, profile: 'acme', data: 1});
				await documents.put({...nightly, data: null});
				await using after = await home.crash();
				await using reopened = await after.open(clock);
				const kept = documentsOf(reopened);
				expect(await kept.list('subscription')).toEqual([
					{profile: 'acme', name: 'hook', version: other, data: 1},
					{profile: 'default', name: 'hook', version, data},
				]);
				expect(await kept.get(nightly)).toMatchObject({data: null});
				expect(await kept.remove(hook)).toBe(true);
				expect(await kept.remove(hook)).toBe(false);
				expect(await kept.get(hook)).toBeUndefined();
				expect(await kept.list('subscription')).toHaveLength(1);
				expect(await kept.put({...hook, data: 2})).toBeGreaterThan(other);
			}),
		);

		test(
			'of two who change one version, the second is refused; nothing of theirs is written',
			useTwo(async (store, beside) => {
				const [mine, theirs] = [documentsOf(store), documentsOf(beside)];
				const version = await mine.put({...hook, data: 1, expected: 0});
				await expect(theirs.put({...hook, data: 9, expected: 0})).rejects.toMatchObject(changed);
				const next = await theirs.put({...hook, data: 2, expected: version});
				await expect(mine.put({...hook, data: 9, expected: version})).rejects.toMatchObject(
					changed,
				);
				await expect(mine.remove({...hook, expected: version})).rejects.toMatchObject(changed);
				expect(await mine.get(hook)).toMatchObject({version: next, data: 2});
				expect(await mine.remove({...hook, expected: next})).toBe(true);
				await expect(theirs.put({...hook, data: 9, expected: next})).rejects.toMatchObject({
					...changed,
					message: expect.stringContaining('it is gone since it was read'),
				});
			}),
		);

		test(
			'what changed since a version is told once for each document, also that it was removed',
			use(async store => {
				const documents = documentsOf(store);
				expect(await documents.changedSince(0)).toEqual([]);
				const first = await documents.put({...hook, data: 1});
				await documents.put({...nightly, data: 1});
				const last = await documents.put({...nightly, data: 2});
				expect(await documents.changedSince(0)).toEqual([
					{...hook, version: first, data: 1},
					{...nightly, version: last, data: 2},
				]);
				await documents.remove(hook);
				const [gone, ...more] = await documents.changedSince(last);
				expect(more).toEqual([]);
				expect(gone).toEqual({...hook, version: expect.any(Number)});
				expect(gone?.version).toBeGreaterThan(last);
				expect(await documents.changedSince(first, 'job')).toEqual([
					{...nightly, version: last, data: 2},
				]);
				expect(await documents.changedSince(gone?.version ?? 0)).toEqual([]);
			}),
		);

		test(
			'each change is told at each gateway',
			useTwo(async (store, beside) => {
				const told: StoreNote[] = [];
				beside.events.subscribe(note => told.push(note));
				await documentsOf(store).put({...hook, data: 1});
				await documentsOf(store).remove(nightly);
				await documentsOf(store).remove(hook);
				const note = {kind: 'documents-changed', of: 'subscription'};
				await expect.poll(() => told).toEqual([note, note]);
			}),
		);
	});
}
