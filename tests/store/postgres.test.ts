import {afterAll, describe, expect, test} from 'vitest';
import {hasPostgres, startPostgres} from '../helpers/postgres.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {coalescingModel} from './coalescing-model.ts';
import {describeStore} from './contract.ts';
import {intakeModel} from './intake-model.ts';
import {createPostgresHomes} from './postgres-home.ts';

if (hasPostgres) {
	const server = await startPostgres();
	afterAll(() => server[Symbol.asyncDispose]());
	const createHome = createPostgresHomes(server);
	describeStore('postgres', createHome, {hasDocuments: true});

	describe('postgres: models', () => {
		test('groups follow their rules in any order of events', async () => {
			await expect(coalescingModel(propertyRuns(5), createHome)).resolves.toBeUndefined();
		});

		test('identifiers, duplicates and the queue follow theirs', async () => {
			await expect(intakeModel(propertyRuns(5), createHome)).resolves.toBeUndefined();
		});
	});
} else {
	describe('postgres', () => {
		test.skip('left out: no PostgreSQL is installed (Debian: "apt install postgresql"), and SVC_TEST_POSTGRES names none', () => {});
	});
}
