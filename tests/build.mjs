import {refreshBuild} from '../scripts/build/refresh.mjs';
import {bundleOfficialPrograms} from './official-programs.mjs';

/** Whatever starts the tests, the bundle that some of them run is of these sources. */
export default async function setup(project) {
	refreshBuild();
	await bundleOfficialPrograms();
	project.onTestsRerun(refreshBuild);
}
