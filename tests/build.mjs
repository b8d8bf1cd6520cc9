import {refreshBuild} from '../scripts/build/refresh.mjs';

/** Whatever starts the tests, the bundle that some of them run is of these sources. */
export default function setup(project) {
	refreshBuild();
	project.onTestsRerun(refreshBuild);
}
