// @module-tag slow
import {afterAll, describe, expect, test} from 'vitest';
import {hasPostgres, startPostgres} from '../helpers/postgres.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {coalescingModel} from './coalescing-model.ts';
import {describeStore} from './contract.ts';
import {intakeModel} from './intake-model.ts';
import {createPostgresHomes} from './postgres-home.ts';

test('a PostgreSQL is installed, or SVC_TEST_POSTGRES names one', ({skip}) => {
	skip(!hasPostgres, 'there is none (Debian: "apt install postgresql")');
	expect(hasPostgres).toBe(true);
});

describe.runIf(hasPostgres)('with a PostgreSQL', async () => {
	const server = hasPostgres ? await startPostgres() : undefined;
	afterAll(async () => server?.[Symbol.asyncDispose]());
	const createHome = async () => {
		if (!homes) {
			throw new Error('there is no PostgreSQL');
		}

		return homes();
	};
	const homes = server && createPostgresHomes(server);
	describeStore('postgres', createHome, {hasDocuments: true});

	test('groups follow their rules in any order of events', async () => {
		await expect(coalescingModel(propertyRuns(5), createHome)).resolves.toBeUndefined();
	});

	test('identifiers, duplicates and the queue follow theirs', async () => {
		await expect(intakeModel(propertyRuns(5), createHome)).resolves.toBeUndefined();
	});
});
