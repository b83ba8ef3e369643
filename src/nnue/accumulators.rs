//! The accumulators of a last ply: of a position, from which all its children are evaluated, and of its parent, which it
//! shares with its siblings. Both are found when they are first needed, for each perspective by itself.
#![expect(
    clippy::indexing_slicing,
    reason = "there are accumulators for two perspectives, which are indexed by 0 or 1"
)]

/// A step with the positions before and after it, seen from one side.
pub struct Child<'a, P, S> {
    /// The position before.
    pub position: &'a P,
    /// The step.
    pub step: S,
    /// The position after.
    pub next: &'a P,
    /// The side from which features are seen: 0 or 1.
    pub perspective: usize,
}

impl<P, S: Copy> Copy for Child<'_, P, S> {}

impl<P, S: Copy> Clone for Child<'_, P, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

/// What the evaluation of a game is made from, and what a step changes of it.
///
/// What is not overridden is right for a game whose positions are always evaluated as a whole: for such a game, both
/// types are `()`.
pub trait Features<P, S: Copy> {
    /// The weights as a search reads them.
    type Parameters;

    /// What features of a position are found from.
    type State: Clone + Default + Send + Sync + 'static;

    /// A sum over the features of a position from one perspective.
    type Accumulator: Copy + Default + Send + Sync + 'static;

    /// The weights as a search reads them.
    fn parameters(&self) -> &Self::Parameters;

    /// Whether a child can be evaluated from the accumulator of the position before; with `GOES_ON`, whether its state
    /// and its accumulator can be had from those, too. Every other child is evaluated as a whole.
    #[inline(always)]
    fn is_incremental<const GOES_ON: bool>(
        &self,
        _parameters: &Self::Parameters,
        _child: Child<'_, P, S>,
    ) -> bool {
        false
    }

    /// Reads the state of a position. `leaf` is the first of all positions that are evaluated from this state.
    #[inline(always)]
    fn read(
        &self,
        _parameters: &Self::Parameters,
        _state: &mut Self::State,
        _position: &P,
        _leaf: &P,
    ) {
    }

    /// Adds up all features of a position from a perspective.
    #[inline(always)]
    fn refresh(
        &self,
        _parameters: &Self::Parameters,
        _state: &Self::State,
        _position: &P,
        _perspective: usize,
    ) -> Self::Accumulator {
        Self::Accumulator::default()
    }

    /// Adds to an accumulator what a step adds, and subtracts what it removes. The state is that of the position before;
    /// with `GOES_ON` it becomes that of the position after, else it stays, though it may change in between.
    #[inline(always)]
    fn update<const GOES_ON: bool>(
        &self,
        _parameters: &Self::Parameters,
        _accumulator: &mut Self::Accumulator,
        _state: &mut Self::State,
        _child: Child<'_, P, S>,
    ) {
    }

    /// The value of a child for the side to move there, with its accumulator and the state of the position before.
    #[inline(always)]
    fn output(
        &self,
        _parameters: &Self::Parameters,
        _accumulator: &mut Self::Accumulator,
        _state: &Self::State,
        _child: Child<'_, P, S>,
    ) -> i32 {
        0
    }

    /// The value of a child for the side to move there, with the state and the accumulator of the position before. A game
    /// overrides this that can do better than to add and remove features.
    #[inline(always)]
    fn evaluate_child(
        &self,
        parameters: &Self::Parameters,
        state: &mut Self::State,
        before: &Self::Accumulator,
        child: Child<'_, P, S>,
    ) -> i32 {
        // A variable, which the compiler keeps in registers.
        let mut accumulator = *before;
        self.update::<false>(parameters, &mut accumulator, state, child);
        self.output(parameters, &mut accumulator, state, child)
    }
}

/// The state of a position and its accumulators, as far as they are known.
struct View<F: Features<P, S>, P, S: Copy> {
    /// The position that the state was read of.
    position: Option<P>,
    state: F::State,
    accumulators: [F::Accumulator; 2],
    is_known: [bool; 2],
}

impl<F: Features<P, S>, P: Copy + PartialEq, S: Copy> View<F, P, S> {
    /// Reads a position, unless it is the one that was read.
    #[inline(always)]
    fn read(&mut self, features: &F, parameters: &F::Parameters, position: &P, leaf: &P) {
        if self.position != Some(*position) {
            features.read(parameters, &mut self.state, position, leaf);
            self.position = Some(*position);
            self.is_known = [false; 2];
        }
    }

    /// Refreshes the accumulator of a perspective, unless it is known.
    #[inline(always)]
    fn refresh(
        &mut self,
        features: &F,
        parameters: &F::Parameters,
        position: &P,
        perspective: usize,
    ) {
        if !self.is_known[perspective] {
            self.accumulators[perspective] =
                features.refresh(parameters, &self.state, position, perspective);
            self.is_known[perspective] = true;
        }
    }
}

/// The accumulators of a position and of its parent. They serve one game with the same weights.
pub struct Accumulators<F: Features<P, S>, P, S: Copy> {
    /// The parent, where it is known, with the step from there.
    parent: Option<(P, S)>,
    /// The parent's, once they were needed; until then those of an earlier parent.
    before: View<F, P, S>,
    here: View<F, P, S>,
    /// For which perspectives `here` is of this position, and not of an earlier one.
    is_ready: [bool; 2],
}

impl<F: Features<P, S>, P, S: Copy> Default for View<F, P, S> {
    fn default() -> Self {
        Self {
            position: None,
            state: F::State::default(),
            accumulators: Default::default(),
            is_known: [false; 2],
        }
    }
}

impl<F: Features<P, S>, P, S: Copy> Default for Accumulators<F, P, S> {
    fn default() -> Self {
        Self {
            parent: None,
            before: View::default(),
            here: View::default(),
            is_ready: [false; 2],
        }
    }
}

impl<F: Features<P, S>, P: Copy + PartialEq, S: Copy> Accumulators<F, P, S> {
    /// Goes to another position, to which this step leads from a parent. All else waits for the first child that is
    /// evaluated.
    #[inline(always)]
    pub fn refresh(&mut self, parent: Option<(&P, S)>) {
        self.parent = parent.map(|(parent, step)| (*parent, step));
        self.is_ready = [false; 2];
    }

    /// The value of a child of the position for the side to move there; none where it is to be evaluated as a whole.
    #[inline(always)]
    pub fn evaluate_child(&mut self, features: &F, child: Child<'_, P, S>) -> Option<i32> {
        let parameters = features.parameters();
        if !features.is_incremental::<false>(parameters, child) {
            return None;
        }
        if !self.is_ready[child.perspective] {
            self.make_ready(features, parameters, child);
        }
        let View {
            state,
            accumulators,
            ..
        } = &mut self.here;
        let before = &accumulators[child.perspective];
        Some(features.evaluate_child(parameters, state, before, child))
    }

    /// Finds the accumulator from which children are evaluated: from the parent's, if that is possible.
    #[inline(always)]
    fn make_ready(&mut self, features: &F, parameters: &F::Parameters, child: Child<'_, P, S>) {
        let Self { before, here, .. } = self;
        let (position, leaf, perspective) = (child.position, child.next, child.perspective);
        let last = self.parent.as_ref().map(
            #[inline(always)]
            |(parent, step)| Child {
                position: parent,
                step: *step,
                next: position,
                perspective,
            },
        );
        match last {
            Some(last) if features.is_incremental::<true>(parameters, last) => {
                before.read(features, parameters, last.position, leaf);
                before.refresh(features, parameters, last.position, perspective);
                here.position = None;
                here.state.clone_from(&before.state);
                let accumulator = &mut here.accumulators[perspective];
                *accumulator = before.accumulators[perspective];
                features.update::<true>(parameters, accumulator, &mut here.state, last);
            }
            _ => {
                here.read(features, parameters, position, leaf);
                here.refresh(features, parameters, position, perspective);
            }
        }
        self.is_ready[perspective] = true;
    }
}
