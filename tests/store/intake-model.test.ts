import {expect, test} from 'vitest';
import {propertyRuns} from '../helpers/property-runs.ts';
import {intakeModel} from './intake-model.ts';
import {createSqliteHome} from './sqlite-home.ts';

test('identifiers, duplicates and the queue follow the rules in any order of events, also over crashes', async () => {
	// Two fresh claims make a generation: most are sorted in while the script goes on.
	const createHome = async () => createSqliteHome({freshKeys: 2});
	await expect(intakeModel(propertyRuns(60), createHome)).resolves.toBeUndefined();
});
